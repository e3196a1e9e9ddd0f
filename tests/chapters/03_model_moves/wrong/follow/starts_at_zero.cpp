// expect: momentum of tensor 0: index 0: expected
// The memory is on the right device, but the momentum is lost.
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined()) momentum[i] = td::zeros_like(parameters[i]);
}
