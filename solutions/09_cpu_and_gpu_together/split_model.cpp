// split_forward and split_backward: exercise 9.split_model, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

// solution only
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
// end

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  // blank: The first part, the copy to the second device, the second part. 2 lines.
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
  // end
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  // blank: All forward work, then all backward work. About 30 lines.
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // first's outputs, second's inputs, the losses
  std::vector<PendingTensor> values, gradients;

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
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
  // end
}
