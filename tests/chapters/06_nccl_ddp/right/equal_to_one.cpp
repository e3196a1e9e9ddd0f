#include "exercises.h"

// answer: weights_the_gradients
// Weights the gradients after backward instead of the loss before it.
namespace weights_the_gradients {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();
  const double weight = static_cast<double>(data.size(0)) / samples.item<double>();

  optimizer.zero_grad();
  td::Tensor loss = td::zeros({}, model->parameters().at(0).options());
  if (data.size(0) > 0) {
    loss = loss_fn(model->forward(data), target);
    loss.backward();
  }
  for (const td::Tensor& parameter : model->parameters()) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous() * weight;
    group.all_reduce(gradient)->wait();  // a sum: the weights are in it already
    parameter.mutable_grad() = gradient;
  }
  optimizer.step();

  const td::Tensor total = loss.detach() * weight;
  group.all_reduce(total)->wait();
  return total;
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
}
}  // namespace weights_the_gradients
