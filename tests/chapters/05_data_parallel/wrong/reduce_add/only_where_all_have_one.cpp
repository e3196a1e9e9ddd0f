// expect: parameter 2 of the model has no gradient, a replica has
// A layer that only some parts of the batch used is left without its gradient.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    bool all = true;
    for (const auto& replica : parameters) all = all && replica[p].grad().defined();
    if (!all) continue;
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r)
      sum = sum + parameters[r][p].grad().to(parameters[0][p].device());
  }
}
