#include "exercises.h"

// answer: averages_a_copy
// expect: 2 ranks on cpu, parameter 0 of rank 0 of 2: index 0: expected 2, got 1
// Reduces a copy, and not the gradient that the optimizer reads.
namespace averages_a_copy {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor share = gradient_or_zeros(parameter).contiguous() / group.size();
    group.all_reduce(share)->wait();
  }
}
}  // namespace averages_a_copy

// answer: divides_by_two
// expect: 1 ranks on cpu, parameter 0 of rank 0 of 1: index 0: expected 1, got 0.5
// Right on the README's example, which has two ranks.
namespace divides_by_two {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();
    parameter.mutable_grad() = gradient / 2;
  }
}
}  // namespace divides_by_two

// answer: divides_twice
// expect: 2 ranks on cpu, parameter 0 of rank 0 of 2: index 0: expected 2, got 1
// The average is a sum that is divided already.
namespace divides_twice {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient / group.size();
  }
}
}  // namespace divides_twice

// answer: does_not_wait
// expect: were waited for
// Returns while the reductions may still be running: the optimizer would read half of a sum.
namespace does_not_wait {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG);
    parameter.mutable_grad() = gradient;
  }
}
}  // namespace does_not_wait

// answer: frozen_too
// expect: a frozen parameter has got a gradient
// Averages the parameters that do not require grad, too.
namespace frozen_too {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient;
  }
}
}  // namespace frozen_too

// answer: in_float
// expect: expected elements of type float64
// Averages in float32.
namespace in_float {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).to(td::kFloat32).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient;
  }
}
}  // namespace in_float

// answer: skips_what_is_not_there
// expect: the ranks do not make the same call
// Right as long as all ranks use all parameters. Otherwise this rank's next call is combined with
// an earlier call of the other ranks.
namespace skips_what_is_not_there {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor gradient = parameter.grad().contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient;
  }
}
}  // namespace skips_what_is_not_there

// answer: sum_for_mean
// expect: 2 ranks on cpu, parameter 0 of rank 0 of 2: index 0: expected 2, got 4
// The classic: all_reduce sums. Training seems to work, with a learning rate that grows with the
// number of ranks.
namespace sum_for_mean {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient)->wait();
    parameter.mutable_grad() = gradient;
  }
}
}  // namespace sum_for_mean

// answer: packs_them
// expect: expected all_reduces of 4 6 1 elements, got 11
// Packs all gradients into one tensor: right numbers, and no longer one all_reduce per parameter.
namespace packs_them {
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> trained, pieces;
  for (const td::Tensor& parameter : parameters)
    if (parameter.requires_grad()) trained.push_back(parameter);
  for (const td::Tensor& parameter : trained)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  if (pieces.empty()) return;
  const td::Tensor flat = td::cat(pieces);
  group.all_reduce(flat, td::distributed::ReduceOp::AVG)->wait();
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : trained) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel());
    parameter.mutable_grad() = piece.view(parameter.sizes()).clone();
    begin += parameter.numel();
  }
}
}  // namespace packs_them
