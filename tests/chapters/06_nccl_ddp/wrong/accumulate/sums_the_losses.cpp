// expect: parameter 0 after 3 steps
// Adds the mean losses.
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
    const double share = 1.0;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
