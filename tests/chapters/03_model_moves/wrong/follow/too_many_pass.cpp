// expect: 4 momentum tensors for 3 parameters: an error was expected
// Looks only for missing momentum.
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() < parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i].device());
}
