// train_step: exercise 4.train_step, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets) {
  // blank: Zero, forward, loss, backward, step; then the loss without its graph. 6 lines.
  optimizer.zero_grad();
  const td::Tensor output = model->forward(inputs);
  const td::Tensor loss = loss_fn(output, targets);
  loss.backward();
  optimizer.step();
  return loss.detach();
  // end
}
