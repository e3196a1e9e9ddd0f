// expect: the frozen weight requires a gradient again
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    parameter.set_data(parameter.to(device));
    parameter.set_requires_grad(true);
    td::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
