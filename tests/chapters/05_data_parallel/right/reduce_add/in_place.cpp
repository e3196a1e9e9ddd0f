// Adds into the gradient of the model, which keeps its memory.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      if (sum.defined())
        sum.add_(gradient.to(sum.device()));
      else
        sum = gradient.to(parameters[0][p].device(), gradient.dtype(), false, true);
    }
  }
}
