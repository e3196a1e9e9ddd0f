// expect: after a step of a model with a frozen batch norm
// Right for models without frozen parts.
#include "exercises.h"

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
