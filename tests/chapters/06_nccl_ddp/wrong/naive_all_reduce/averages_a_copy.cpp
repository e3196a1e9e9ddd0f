// expect: 2 ranks on cpu, parameter 0 of rank 0 of 2: index 0: expected 2, got 1
// Reduces a copy, and not the gradient that the optimizer reads.
#include "exercises.h"

void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor share = gradient_or_zeros(parameter).contiguous() / group.size();
    group.all_reduce(share)->wait();
  }
}
