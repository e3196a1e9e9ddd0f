// expect: the result is not a leaf
// Keeps the graph of the move: retain_grad() does not make the result a leaf.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor moved = values.to(device, false, /*copy=*/true);
  if (!moved.requires_grad())
    moved.requires_grad_();
  else
    moved.retain_grad();
  return moved;
}
