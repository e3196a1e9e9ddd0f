// expect: values on sim:0 that queued work was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  const td::TensorOptions options = td::TensorOptions(values.dtype()).device(device);
  const td::Tensor copy = values.detach().to(options, /*non_blocking=*/true, /*copy=*/true);
  copy.requires_grad_();
  return copy;
}
