#include "exercises.h"

// answer: sum_and_divide
// Adds, and divides by the number of ranks.
namespace sum_and_divide {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();
    parameter.mutable_grad() = gradient / static_cast<double>(group.size());
  }
}
}  // namespace sum_and_divide
