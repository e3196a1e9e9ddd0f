// expect: x is pinned, and was filled with 5 right after move_to
// Passes non_blocking: right unless `x` is in pinned memory.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x, /*non_blocking=*/true);
}
