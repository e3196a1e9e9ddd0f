// expect: tensor 4: expected on
// Right for a model in one place: looks at the first parameter only.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  if (model.parameters()[0].device() == device) return;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
