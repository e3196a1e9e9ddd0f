// expect: which must not change
// On one device the gradient of replica 1 becomes the sum itself.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      if (sum.defined())
        sum.add_(moved);
      else
        sum = moved;
    }
  }
}
