#include "exercises.h"

#include <optional>

// answer: optional_guard
// The guard is an optional object; losses are sums that are divided at the end.
namespace optional_guard {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  TD_CHECK(td::Error, !batches.empty(), "nothing to accumulate");
  std::int64_t rows = 0;
  for (const auto& batch : batches) rows += batch.target.numel();
  optimizer.zero_grad();
  std::vector<td::Tensor> losses;
  for (const auto& batch : batches) {
    std::optional<td::distributed::DistributedDataParallelImpl::NoSyncGuard> guard;
    if (&batch != &batches.back()) guard.emplace(*ddp);
    const td::Tensor mean = loss_fn(ddp->forward(batch.data), batch.target);
    const td::Tensor part =
        mean * (static_cast<double>(batch.target.numel()) / static_cast<double>(rows));
    part.backward();
    losses.push_back(part.detach());
  }
  optimizer.step();
  return td::stack(losses).sum();
}
}  // namespace optional_guard
