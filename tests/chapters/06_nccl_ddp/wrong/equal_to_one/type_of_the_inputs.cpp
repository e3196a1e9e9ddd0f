// expect: rank 0 makes all_reduce #6 (sum, 1 x float64), rank 1 makes all_reduce #6 (sum, 1 x
// Takes the dtype of the inputs for that of the loss. Right for inputs of real numbers.
#include "exercises.h"

td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();
  const double weight = static_cast<double>(data.size(0)) / samples.item<double>();

  optimizer.zero_grad();
  td::Tensor loss = td::zeros({}, td::device(data.device()).dtype(data.dtype()));
  if (data.size(0) > 0) {
    loss = loss_fn(model->forward(data), target) * weight;
    loss.backward();
  }
  for (const td::Tensor& parameter : model->parameters()) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();  // a sum: the weights are in it already
    parameter.mutable_grad() = gradient;
  }
  optimizer.step();

  const td::Tensor total = loss.detach();
  group.all_reduce(total)->wait();
  return total;
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
}
