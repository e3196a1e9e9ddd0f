// expect: expected elements of type
// Makes room with the default element type.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor leaf = td::empty(values.sizes(), td::device(device));
  {
    const td::NoGradGuard no_grad;
    leaf.copy_(values);
  }
  return leaf.requires_grad_();
}
