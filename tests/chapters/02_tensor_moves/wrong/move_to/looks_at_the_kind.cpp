// expect: sim:0 to sim:1: expected on sim:1, it is on sim:0
// Right on every machine with one device of a kind.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device().type() == target.type()) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
}
