// accumulate_step: exercise 14.accumulate, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  // blank: Count rows; only the last micro-batch is outside no_sync. About 16 lines.
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches; give at least one");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  const auto backward = [&](const td::data::Example<>& batch) {
    const double share = static_cast<double>(batch.data.size(0)) / rows;
    const td::Tensor loss = loss_fn(ddp->forward(batch.data), batch.target) * share;
    loss.backward();
    return loss.detach();
  };
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
    const auto guard = ddp->no_sync();
    const td::Tensor loss = backward(batches[i]);
    total = total.defined() ? total + loss : loss;
  }
  const td::Tensor last = backward(batches.back());
  optimizer.step();
  return total.defined() ? total + last : last;
  // end
}
