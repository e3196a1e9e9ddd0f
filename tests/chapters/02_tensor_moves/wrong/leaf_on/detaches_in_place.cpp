// expect: `values` should stay in its graph
// detach_() takes `values` itself out of its graph.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor source = values;
  source.requires_grad();
  if (source.requires_grad() && !source.is_leaf()) source.detach_();
  return source.detach().to(device, false, /*copy=*/true).requires_grad_();
}
