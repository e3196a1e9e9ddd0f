// expect: did not exist yet exists
// Gives a parameter without momentum a tensor of zeros.
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < momentum.size(); ++i)
    momentum[i] = momentum[i].defined() ? momentum[i].to(parameters[i].device())
                                        : td::zeros_like(parameters[i]);
}
