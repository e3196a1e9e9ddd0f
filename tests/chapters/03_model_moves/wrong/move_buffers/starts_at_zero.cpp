// expect: body.1.running_mean:
// Fresh memory on the right device, without what the buffers had learned.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) {
    const td::ScalarType type = buffer.is_floating_point() ? dtype : buffer.dtype();
    buffer.set_data(td::zeros(buffer.sizes(), td::TensorOptions(type).device(device)));
  }
}
