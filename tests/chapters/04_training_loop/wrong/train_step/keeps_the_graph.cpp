// expect: the loss still belongs to the graph
// Right for a caller that calls item() immediately.
#include "exercises.h"

td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(model->forward(inputs), targets);
  loss.backward();
  optimizer.step();
  return loss;
}
