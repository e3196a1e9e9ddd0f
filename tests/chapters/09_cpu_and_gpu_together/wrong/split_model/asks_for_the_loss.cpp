// expect: split_backward waits for a device
// Reads each piece's loss on the host: right numbers, and the devices take turns.
#include "exercises.h"

namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;
  double sum = 0;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
    sum += losses[i].item<double>();
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  return td::full({}, sum, losses[0].detach().options());
}
