// expect: was in place already and was copied
#include "exercises.h"

void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined())
      momentum[i] =
          momentum[i].to(parameters[i].device(), momentum[i].dtype(), false, /*copy=*/true);
}
