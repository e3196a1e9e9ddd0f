// expect: x was filled with 10 by work that was still queued on sim:0
// Copies the bytes on the default stream, whatever the current one is.
#include "exercises.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  if (x.requires_grad() || !x.is_contiguous() || x.is_cpu() || x.numel() == 0)
    return moved.copy_(x);
  const td::StreamGuard guard(td::getDefaultStream(x.device()));
  return moved.copy_(x);
}
