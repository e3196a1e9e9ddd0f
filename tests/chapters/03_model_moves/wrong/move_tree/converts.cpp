// expect: head.weight, which was float64,
// Right for a model in float32.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device, td::kFloat32));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device, td::kFloat32);
  }
}
