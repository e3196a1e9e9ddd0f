// expect: the sum was recorded by autograd
// Right for gradients that do not require grad, which are those without create_graph.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
