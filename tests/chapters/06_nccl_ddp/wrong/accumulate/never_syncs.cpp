// expect: to be reduced once per step
// The last micro-batch runs under no_sync, too: the ranks diverge.
#include "exercises.h"

td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    const auto guard = ddp->no_sync();
    forward();
    loss.backward();
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
