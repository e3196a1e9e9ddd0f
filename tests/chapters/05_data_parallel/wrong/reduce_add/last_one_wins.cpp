// expect: the model's gradient on {sim:0, sim:1}
// Copies where it should add.
#include "exercises.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p)
    for (std::size_t r = 1; r < parameters.size(); ++r)
      if (parameters[r][p].grad().defined())
        parameters[0][p].mutable_grad() =
            parameters[r][p].grad().clone().to(parameters[0][p].device());
}
