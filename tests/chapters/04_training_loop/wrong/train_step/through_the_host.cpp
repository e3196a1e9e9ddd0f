// expect: the loss: expected on sim:0, it is on cpu
// Right on cpu. On a device item() waits for all work, after every step.
#include "exercises.h"

td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return td::full({}, loss.item<float>());
}
