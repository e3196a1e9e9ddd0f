#include "exercises.h"

// answer: clone_first
// Clones on the source, moves the clone.
namespace clone_first {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  return values.clone().detach().to(device).requires_grad_();
}
}  // namespace clone_first

// answer: under_no_grad
// Copies with copy_ under no_grad, then marks the copy.
namespace under_no_grad {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor leaf = td::empty(values.sizes(), values.options().device(td::check_device(device)));
  {
    const td::NoGradGuard no_grad;
    leaf.copy_(values);
  }
  leaf.requires_grad_(true);
  return leaf;
}
}  // namespace under_no_grad
