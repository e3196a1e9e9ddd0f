// expect: expected elements of type float64
// Averages in float32.
#include "exercises.h"

void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).to(td::kFloat32).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient;
  }
}
