// expect: the buffer body.1.running_mean, which must stay,
// Moves everything that the state has.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
  for (const td::Tensor& b : model.buffers()) b.set_data(b.to(device));
}
