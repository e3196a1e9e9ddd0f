// expect: the gradient of tensor 0 is gone after the move
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    parameter.set_data(parameter.to(device));
    parameter.mutable_grad() = td::Tensor();
  }
}
