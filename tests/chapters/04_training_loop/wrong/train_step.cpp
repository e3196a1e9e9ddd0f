#include "exercises.h"

// answer: checks_for_nan
// expect: times in one step; item()
// A check of the loss on the host, which waits in every step.
namespace checks_for_nan {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  if (loss.item<float>() != loss.item<float>()) throw td::Error("the loss is NaN");
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace checks_for_nan

// answer: clears_at_the_end
// expect: the gradient of the first layer is zero after the step
// The next step finds no old gradients, and neither does the caller.
namespace clears_at_the_end {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  optimizer.zero_grad();
  return loss.detach();
}
}  // namespace clears_at_the_end

// answer: keeps_the_graph
// expect: the loss still belongs to the graph
// Right for a caller that calls item() immediately.
namespace keeps_the_graph {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return loss;
}
}  // namespace keeps_the_graph

// answer: never_zeroes
// expect: the losses of four steps on cpu: index 2
// Gradients add up from step to step. The first two losses are right, because the first step is.
namespace never_zeroes {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace never_zeroes

// answer: runs_twice
// expect: the number of batches that the batch norm has seen
// Computes the output a second time for the returned loss.
namespace runs_twice {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  loss_fn(model->forward(inputs), targets).backward();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets).detach();
  optimizer.step();
  return loss;
}
}  // namespace runs_twice

// answer: sets_training_mode
// expect: after a step of a model with a frozen batch norm
// Right for models without frozen parts.
namespace sets_training_mode {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  model->train();
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace sets_training_mode

// answer: swaps_arguments
// expect: cross_entropy
// Output and target in the wrong order: a loss such as MSE would not even notice.
namespace swaps_arguments {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(targets, model->forward(inputs));
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace swaps_arguments

// answer: there_and_back
// expect: times in one step; item()
// The loss goes to the host and back: it is on the device, but the host waited.
namespace there_and_back {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return td::full({}, loss.item<float>(), inputs.device());
}
}  // namespace there_and_back

// answer: through_the_host
// expect: the loss: expected on sim:0, it is on cpu
// Right on cpu. On a device item() waits for all work, after every step.
namespace through_the_host {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return td::full({}, loss.item<float>());
}
}  // namespace through_the_host

// answer: zeroes_the_model
// expect: the gradient of a parameter that the optimizer does not have
// Right where the optimizer has all parameters of the model, and no others.
namespace zeroes_the_model {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  model->zero_grad();
  const td::Tensor output = model->forward(inputs);
  const td::Tensor loss = loss_fn(output, targets);
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace zeroes_the_model

// answer: zeroes_too_late
// expect: the losses of four steps on cpu: index 1
// The gradients are cleared between backward and step, so nothing is learned.
namespace zeroes_too_late {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.zero_grad();
  optimizer.step();
  return loss.detach();
}
}  // namespace zeroes_too_late

// answer: loss_twice
// expect: one step should compute the loss once; loss_fn was called 2 times
// Computes the loss a second time for the caller, from the same output.
namespace loss_twice {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor output = model->forward(inputs);
  loss_fn(output, targets).backward();
  optimizer.step();
  const td::NoGradGuard no_grad;
  return loss_fn(output.detach(), targets);
}
}  // namespace loss_twice

// answer: trains_what_evaluates
// expect: after a step of a model that is in evaluation mode as a whole
// Puts a model in evaluation mode into training mode. A frozen part of a model that trains stays.
namespace trains_what_evaluates {
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  if (!model->is_training()) model->train();
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace trains_what_evaluates
