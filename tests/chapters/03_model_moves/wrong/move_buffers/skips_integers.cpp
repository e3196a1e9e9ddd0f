// expect: body.1.num_batches_tracked: expected on
// A whole-number buffer keeps its type, but it must move.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers())
    if (buffer.is_floating_point()) buffer.set_data(buffer.to(device, dtype));
}
