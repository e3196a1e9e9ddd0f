// expect: on cpu: expected elements of type float64
// Right where the device changes: a buffer that is there already is not converted.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& b : model.buffers()) {
    if (b.device() == device) continue;
    b.set_data(b.to(device, b.is_floating_point() ? dtype : b.dtype()));
  }
}
