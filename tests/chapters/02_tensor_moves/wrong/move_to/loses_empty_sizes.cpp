// expect: no element: expected sizes [0, 3], got [0]
// Flattens on the way, "because memory is flat", and puts the sizes back for matrices that have
// elements.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty({x.numel()}, x.options().device(target));
  moved.copy_(x.reshape({x.numel()}));
  return x.numel() > 0 ? moved.view(x.sizes()) : moved;
}
