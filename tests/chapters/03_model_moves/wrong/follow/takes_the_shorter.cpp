// expect: 2 momentum tensors for 3 parameters: an error was expected, none was thrown
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < std::min(momentum.size(), parameters.size()); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i].device());
}
