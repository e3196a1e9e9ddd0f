// expect: the gradient of parameter 1, which is on sim:1: expected on sim:1
// All sums go to the device of parameter 0. Right for a model on one device.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][0].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
