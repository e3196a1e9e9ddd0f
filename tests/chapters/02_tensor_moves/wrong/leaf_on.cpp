#include "exercises.h"

// answer: detaches_in_place
// expect: `values` should stay in its graph
// detach_() takes `values` itself out of its graph.
namespace detaches_in_place {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor source = values;
  source.requires_grad();
  if (source.requires_grad() && !source.is_leaf()) source.detach_();
  return source.detach().to(device, false, /*copy=*/true).requires_grad_();
}
}  // namespace detaches_in_place

// answer: does_not_wait
// expect: values on sim:0 that queued work was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
namespace does_not_wait {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  const td::TensorOptions options = td::TensorOptions(values.dtype()).device(device);
  const td::Tensor copy = values.detach().to(options, /*non_blocking=*/true, /*copy=*/true);
  copy.requires_grad_();
  return copy;
}
}  // namespace does_not_wait

// answer: floats_only
// expect: expected elements of type
// Makes room with the default element type.
namespace floats_only {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor leaf = td::empty(values.sizes(), td::device(device));
  {
    const td::NoGradGuard no_grad;
    leaf.copy_(values);
  }
  return leaf.requires_grad_();
}
}  // namespace floats_only

// answer: marks_the_values
// expect: `values` should stay as it was
// Marks `values` first, and moves it then.
namespace marks_the_values {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  values.requires_grad_();
  return values.to(device).detach().requires_grad_();
}
}  // namespace marks_the_values

// answer: no_leaf
// expect: the result is not a leaf
// Right if `values` does not require grad. Otherwise the move is recorded.
namespace no_leaf {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor moved = values.to(device, false, /*copy=*/true);
  if (!moved.requires_grad()) moved.requires_grad_();
  return moved;
}
}  // namespace no_leaf

// answer: only_if_grad
// expect: gradient tracking was off before leaf_on, and is on afterwards
// Turns gradient tracking on and off by hand, and forgets what it was.
namespace only_if_grad {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::GradMode::set_enabled(false);
  const td::Tensor leaf = values.to(device, false, /*copy=*/true);
  td::GradMode::set_enabled(true);
  return leaf.requires_grad_();
}
}  // namespace only_if_grad

// answer: shares_storage
// expect: after an update of the leaf on cpu: they share storage
// detach() makes no copy, and to() makes none on the same device.
namespace shares_storage {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  return values.detach().to(device).requires_grad_();
}
}  // namespace shares_storage

// answer: through_to_only
// expect: the result is not a leaf
// Keeps the graph of the move: retain_grad() does not make the result a leaf.
namespace through_to_only {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::Tensor moved = values.to(device, false, /*copy=*/true);
  if (!moved.requires_grad())
    moved.requires_grad_();
  else
    moved.retain_grad();
  return moved;
}
}  // namespace through_to_only

// answer: without_gradient
// expect: the result should require grad
// Makes a copy without history, and forgets to mark it.
namespace without_gradient {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  return values.detach().to(device, false, /*copy=*/true);
}
}  // namespace without_gradient

// answer: drops_the_gradient
// expect: `values` had a gradient before the call, and has none afterwards
// Takes the gradient away from `values`.
namespace drops_the_gradient {
td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  if (values.is_leaf()) values.mutable_grad() = td::Tensor();
  return values.detach().clone().to(device).requires_grad_();
}
}  // namespace drops_the_gradient
