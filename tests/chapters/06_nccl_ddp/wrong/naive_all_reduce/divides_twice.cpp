// expect: 2 ranks on cpu, parameter 0 of rank 0 of 2: index 0: expected 2, got 1
// The average is a sum that is divided already.
#include "exercises.h"

void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient / group.size();
  }
}
