// reduce_add: exercise 5.reduce_add, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  // blank: Per parameter: move and add the gradients of all replicas. About 9 lines.
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      //! clone() the first one: on one device, to() would return the replica's own tensor
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
  // end
}
