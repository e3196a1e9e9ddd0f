// expect: 2 ranks on cpu, parameter 0 of rank 0 of 2: index 0: expected 2, got 4
// The classic: all_reduce sums. Training seems to work, with a learning rate that grows with the
// number of ranks.
#include "exercises.h"

void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();
    parameter.mutable_grad() = gradient;
  }
}
