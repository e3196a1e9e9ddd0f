// expect: body.1.running_mean: expected on
// Moves the parameters instead of the buffers.
#include "exercises.h"

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) p.set_data(p.to(device));
}
