// expect: the result is not a leaf
// Right if `values` does not require grad. Otherwise the move is recorded.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor moved = values.to(device, false, /*copy=*/true);
  if (!moved.requires_grad()) moved.requires_grad_();
  return moved;
}
