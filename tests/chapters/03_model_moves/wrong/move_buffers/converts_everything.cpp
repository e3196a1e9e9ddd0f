// expect: body.1.num_batches_tracked: expected
// Right on floating point buffers: it turns a counter into a float16, which counts to 2048.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) buffer.set_data(buffer.to(device, dtype));
}
