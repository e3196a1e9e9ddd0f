// expect: times in one step; item()
// A check of the loss on the host, which waits in every step.
#include "exercises.h"

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
