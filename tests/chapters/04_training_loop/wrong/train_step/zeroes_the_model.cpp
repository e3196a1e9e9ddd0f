// expect: the gradient of a parameter that the optimizer does not have
// Right where the optimizer has all parameters of the model, and no others.
#include "exercises.h"

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
