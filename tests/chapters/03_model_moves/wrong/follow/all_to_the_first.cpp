// expect: momentum of tensor 1, whose parameter is on cpu: expected on cpu
// Right on the README's example, where all parameters are in one place.
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (td::Tensor& m : momentum)
    if (m.defined()) m = m.to(parameters[0].device());
}
