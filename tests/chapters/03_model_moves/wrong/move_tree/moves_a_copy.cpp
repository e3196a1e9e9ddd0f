// expect: tensor 0: expected on
// Tensor::to does not change the tensor it is called on; the result is thrown away.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  for (td::Tensor parameter : model.parameters()) parameter = parameter.to(device);
}
