// expect: sim:1 is the current sim device, so moving to "sim" should give the same tensor
// Takes a device without an index for the first of its kind.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const bool any = !device.is_cpu() && !device.has_index();
  const td::Device target = td::check_device(any ? td::Device(device.type(), 0) : device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
}
