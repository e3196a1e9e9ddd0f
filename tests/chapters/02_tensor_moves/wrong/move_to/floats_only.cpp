// expect: expected elements of type
// Leaves the element type to td::empty, which takes float32: integers arrive as floats.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), td::device(target));
  return moved.copy_(x);
}
