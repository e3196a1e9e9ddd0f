// expect: no replica had a gradient for the last parameter
// Where there is no gradient it makes zeros.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      const td::Tensor zeros = td::zeros_like(parameters[0][p].detach());
      if (!sum.defined()) sum = zeros;
      if (gradient.defined()) sum = sum + gradient.to(sum.device());
    }
  }
}
