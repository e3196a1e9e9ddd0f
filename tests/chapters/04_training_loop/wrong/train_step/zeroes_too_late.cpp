// expect: the losses of four steps on cpu: index 1
// The gradients are cleared between backward and step, so nothing is learned.
#include "exercises.h"

td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.zero_grad();
  optimizer.step();
  return loss.detach();
}
