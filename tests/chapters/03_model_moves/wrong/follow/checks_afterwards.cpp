// expect: momentum of tensor 0, after the error
// Right without an error: it moves first and compares the counts then.
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < std::min(momentum.size(), parameters.size()); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i].device());
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
}
