// equal_step and scaled_learning_rate: exercise 6.equal_to_one, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  // blank: Weight; loss and backward; sums over the ranks; step. About 18 lines.
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();
  const double weight = static_cast<double>(data.size(0)) / samples.item<double>();

  optimizer.zero_grad();
  td::Tensor loss = td::zeros({}, model->parameters().at(0).options());
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
  // end
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  // blank: How many times as large is the batch of all ranks? 1 line.
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
  // end
}
