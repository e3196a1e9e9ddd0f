// expect: before the host waits, launch everything that the device can do: B2 number 3 should come
// before B1 number 1 All forward, then all backward, with a graph over both parts: good for two
// devices. But a host that has the first part waits in every backward, and the device waits for the
// host.
#include "exercises.h"

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  td::TensorList losses;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    losses.push_back(
        td::nn::functional::cross_entropy(split_forward(model, inputs[i]), targets[i]) *
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0)));
  td::Tensor sum = losses[0].detach();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    losses[i].backward();
    if (i > 0) sum = sum + losses[i].detach();
  }
  return sum;
}
