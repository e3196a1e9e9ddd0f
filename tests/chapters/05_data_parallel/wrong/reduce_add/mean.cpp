// expect: the model's gradient on {sim:0, sim:1}
// The loss is one mean over the whole batch already: divided twice, the steps are too small.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  const auto replicas = static_cast<double>(parameters.size());
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
    if (sum.defined()) sum = sum / replicas;
  }
}
