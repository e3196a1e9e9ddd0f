// expect: `values` should stay as it was
// Marks `values` first, and moves it then.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  values.requires_grad_();
  return values.to(device).detach().requires_grad_();
}
