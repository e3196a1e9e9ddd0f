// expect: already has new memory
// Right about every value, but it copies what is on the device already.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device, p.dtype(), false, /*copy=*/true));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
