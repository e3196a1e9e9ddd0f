// expect: the gradient of the first layer is zero after the step
// The next step finds no old gradients, and neither does the caller.
#include "exercises.h"

td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  optimizer.zero_grad();
  return loss.detach();
}
