// expect: the buffer "counts" of sim:0 that queued work was still changing
// Passes non_blocking for integers: towards the host, the call returns before they have arrived.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) {
    const bool floating = buffer.is_floating_point();
    buffer.set_data(buffer.to(device, floating ? dtype : buffer.dtype(), !floating));
  }
}
