// expect: x requires grad, so the result on sim:0 should, too
// Copies the values without gradient tracking: backward ends at the result.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  const td::NoGradGuard no_grad;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
}
