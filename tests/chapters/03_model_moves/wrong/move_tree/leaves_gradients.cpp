// expect: the gradient of tensor 0: expected on
// Right on the README's example: the gradient stays on the old device.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) parameter.set_data(parameter.to(device));
}
