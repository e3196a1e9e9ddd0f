// expect: the tensor is undefined
// Moves undefined tensors, too, which have no device.
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < momentum.size(); ++i)
    momentum[i] = momentum[i].to(parameters[i].device());
}
