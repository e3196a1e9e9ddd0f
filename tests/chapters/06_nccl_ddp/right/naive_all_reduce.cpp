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

// answer: all_in_flight
// Starts all reductions, from the last parameter to the first, and waits afterwards.
namespace all_in_flight {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<std::shared_ptr<td::distributed::Work>> works;
  for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {
    if (!p->requires_grad()) continue;
    p->mutable_grad() = gradient_or_zeros(*p).clone(td::MemoryFormat::Contiguous);
    works.push_back(group.all_reduce(p->grad(), td::distributed::ReduceOp::AVG));
  }
  for (const auto& work : works) work->wait();
}
}  // namespace all_in_flight
