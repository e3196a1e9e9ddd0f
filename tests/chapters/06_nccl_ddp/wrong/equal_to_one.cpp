#include "exercises.h"

// answer: frozen_too
// expect: parameter 0 does not require grad, and has a gradient now
// Gives frozen parameters a gradient of zeros.
namespace frozen_too {
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
}  // namespace frozen_too

// answer: mean_of_means
// expect: shares of 3 1 samples on cpu, parameter 0 of rank 0 of 2
// What DDP does: each rank counts the same. Right as long as all ranks have as many samples.
namespace mean_of_means {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();
  const double weight = 1.0 / group.size();

  optimizer.zero_grad();
  td::Tensor loss = td::zeros({}, td::device(data.device()).dtype(data.dtype()));
  if (data.size(0) > 0) {
    loss = loss_fn(model->forward(data), target) * weight;
    loss.backward();
  }
  for (const td::Tensor& parameter : model->parameters()) {
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
}  // namespace mean_of_means

// answer: mean_of_nothing
// expect: shares of 4 0 samples on cpu, losses of rank 0 of 2: index 0: expected 0.94
// The mean of no samples is NaN, and so is 0 times it.
namespace mean_of_nothing {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();
  const double weight = static_cast<double>(data.size(0)) / samples.item<double>();

  optimizer.zero_grad();
  td::Tensor loss = td::zeros({}, td::device(data.device()).dtype(data.dtype()));
  loss = loss_fn(model->forward(data), target) * weight;
  loss.backward();
  for (const td::Tensor& parameter : model->parameters()) {
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
}  // namespace mean_of_nothing

// answer: only_rank_0_steps
// expect: parameter 0 of rank 1 of 2
// Only one rank takes the step, so the other ranks keep their parameters.
namespace only_rank_0_steps {
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
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();  // a sum: the weights are in it already
    parameter.mutable_grad() = gradient;
  }
  if (group.rank() == 0) optimizer.step();

  const td::Tensor total = loss.detach();
  group.all_reduce(total)->wait();
  return total;
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
}
}  // namespace only_rank_0_steps

// answer: own_loss
// expect: losses of rank 0 of 2
// The model is right; the loss is this rank's share of it.
namespace own_loss {
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
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();  // a sum: the weights are in it already
    parameter.mutable_grad() = gradient;
  }
  optimizer.step();

  const td::Tensor total = loss.detach();
  return total;
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
}
}  // namespace own_loss

// answer: rate_per_rank
// expect: 2 ranks of 32, lr 0.1
// Multiplies by the ranks, whatever batch each has. Right for 2 ranks of 64.
namespace rate_per_rank {
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
  return lr * ranks;
}
}  // namespace rate_per_rank

// answer: skips_without_samples
// expect: rank 0 makes all_reduce #2 (sum, 217 x float64), rank 1 makes all_reduce #2 (sum, 1 x
// Right as long as every rank has samples; otherwise the other ranks wait for this one.
namespace skips_without_samples {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();
  const double weight = static_cast<double>(data.size(0)) / samples.item<double>();

  optimizer.zero_grad();
  if (data.size(0) == 0) return td::zeros({}, data.options());
  td::Tensor loss = td::zeros({}, td::device(data.device()).dtype(data.dtype()));
  if (data.size(0) > 0) {
    loss = loss_fn(model->forward(data), target) * weight;
    loss.backward();
  }
  for (const td::Tensor& parameter : model->parameters()) {
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
}  // namespace skips_without_samples

// answer: sums_the_means
// expect: shares of 4 4 samples on cpu, parameter 0 of rank 0 of 2
// The gradients of two means are added: a learning rate that is twice as large.
namespace sums_the_means {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)),
                                td::device(data.device()).dtype(td::kDouble));
  group.all_reduce(samples)->wait();

  optimizer.zero_grad();
  td::Tensor loss = td::zeros({}, td::device(data.device()).dtype(data.dtype()));
  if (data.size(0) > 0) {
    loss = loss_fn(model->forward(data), target);
    loss.backward();
  }
  for (const td::Tensor& parameter : model->parameters()) {
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
}  // namespace sums_the_means

// answer: type_of_the_inputs
// expect: rank 0 makes all_reduce #6 (sum, 1 x float64), rank 1 makes all_reduce #6 (sum, 1 x
// Takes the dtype of the inputs for that of the loss. Right for inputs of real numbers.
namespace type_of_the_inputs {
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
}  // namespace type_of_the_inputs

// answer: one_element
// expect: the loss of rank 0 of 2 should have no dimensions, and has 1
// Returns the sum of the losses as a vector of one element.
namespace one_element {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  td::Tensor samples = td::full({1}, static_cast<double>(data.size(0)), td::device(data.device()));
  group.all_reduce(samples)->wait();
  const double weight = static_cast<double>(data.size(0)) / samples.item<double>();
  optimizer.zero_grad();
  const td::Tensor total = td::zeros({1}, model->parameters().at(0).options());
  if (data.size(0) > 0) {
    const td::Tensor loss = loss_fn(model->forward(data), target) * weight;
    loss.backward();
    td::Tensor(total).add_(loss.detach());
  }
  for (const td::Tensor& parameter : model->parameters()) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();
    parameter.mutable_grad() = gradient;
  }
  optimizer.step();
  group.all_reduce(total)->wait();
  return total.detach();
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
}
}  // namespace one_element

// answer: clears_after_the_step
// expect: after a step of a model that had gradients before, compared with a model that had none
// Adds the gradients of the first step to those that the model has already.
namespace clears_after_the_step {
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  const td::TensorList parameters = model->parameters();
  const td::Tensor rows = td::full({1}, static_cast<double>(data.size(0)), td::kDouble);
  group.all_reduce(rows)->wait();
  td::Tensor loss =
      td::zeros({}, td::TensorOptions(parameters[0].scalar_type()).device(parameters[0].device()));
  if (data.size(0) > 0) {
    loss = loss_fn(model->forward(data), target) *
           (static_cast<double>(data.size(0)) / rows.item<double>());
    loss.backward();
    loss = loss.detach().clone();
  }
  group.all_reduce(loss)->wait();
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();
    parameter.mutable_grad() = gradient;
  }
  optimizer.step();
  optimizer.zero_grad();
  return loss;
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  return lr * static_cast<double>(batch_per_rank * ranks) / static_cast<double>(batch);
}
}  // namespace clears_after_the_step
