#include "exercises.h"

// answer: always_a_gradient
// expect: x does not require grad, so the result on
// Makes every result require grad, whether `x` does or not.
namespace always_a_gradient {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  moved.copy_(x);
  return moved.requires_grad_();
}
}  // namespace always_a_gradient

// answer: always_copies
// expect: cpu to cpu: nothing is to be done, so the same tensor was expected
// Makes a copy each time: in a training loop, once per batch.
namespace always_copies {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  td::Tensor moved = td::empty(x.sizes(), x.options().device(td::check_device(device)));
  return moved.copy_(x);
}
}  // namespace always_copies

// answer: by_way_of_the_host
// expect: from sim:0 to sim:1: expected 1 transfer of
// Copies through host memory, also between accelerators.
namespace by_way_of_the_host {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor host = td::empty(x.sizes(), x.options().device(td::kCPU));
  host.copy_(x);
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(host);
}
}  // namespace by_way_of_the_host

// answer: bytes_on_the_default_stream
// expect: x was filled with 10 by work that was still queued on sim:0
// Copies the bytes on the default stream, whatever the current one is.
namespace bytes_on_the_default_stream {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  if (x.requires_grad() || !x.is_contiguous() || x.is_cpu() || x.numel() == 0)
    return moved.copy_(x);
  const td::StreamGuard guard(td::getDefaultStream(x.device()));
  return moved.copy_(x);
}
}  // namespace bytes_on_the_default_stream

// answer: does_not_wait
// expect: x is pinned, and was filled with 5 right after move_to
// Passes non_blocking: right unless `x` is in pinned memory.
namespace does_not_wait {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x, /*non_blocking=*/true);
}
}  // namespace does_not_wait

// answer: floats_only
// expect: expected elements of type
// Leaves the element type to td::empty, which takes float32: integers arrive as floats.
namespace floats_only {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), td::device(target));
  return moved.copy_(x);
}
}  // namespace floats_only

// answer: forgets_the_current_device
// expect: sim:0 is the current sim device, so moving to "sim" should give the same tensor
// Right on the README's example. Compares "sim" with "sim:0" before the index is filled in.
namespace forgets_the_current_device {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  if (x.device() == device) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(td::check_device(device)));
  return moved.copy_(x);
}
}  // namespace forgets_the_current_device

// answer: looks_at_the_kind
// expect: sim:0 to sim:1: expected on sim:1, it is on sim:0
// Right on every machine with one device of a kind.
namespace looks_at_the_kind {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device().type() == target.type()) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
}
}  // namespace looks_at_the_kind

// answer: loses_empty_sizes
// expect: no element: expected sizes [0, 3], got [0]
// Flattens on the way, "because memory is flat", and puts the sizes back for matrices that have
// elements.
namespace loses_empty_sizes {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty({x.numel()}, x.options().device(target));
  moved.copy_(x.reshape({x.numel()}));
  return x.numel() > 0 ? moved.view(x.sizes()) : moved;
}
}  // namespace loses_empty_sizes

// answer: not_recorded
// expect: x requires grad, so the result on sim:0 should, too
// Copies the values without gradient tracking: backward ends at the result.
namespace not_recorded {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  const td::NoGradGuard no_grad;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
}
}  // namespace not_recorded

// answer: with_half_the_index
// expect: sim:1 is the current sim device, so moving to "sim" should give the same tensor
// Takes a device without an index for the first of its kind.
namespace with_half_the_index {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const bool any = !device.is_cpu() && !device.has_index();
  const td::Device target = td::check_device(any ? td::Device(device.type(), 0) : device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
}
}  // namespace with_half_the_index

// answer: calls_to
// expect: was made by `to`, or by one of its short forms
// Calls what it should write.
namespace calls_to {
td::Tensor move_to(const td::Tensor& x, td::Device device) { return x.to(device); }
}  // namespace calls_to

// answer: only_says_so
// expect: is a leaf, so a backward pass from it cannot reach x
// Copies without a record, and then only says that the result requires grad.
namespace only_says_so {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  device = td::check_device(device);
  if (x.device() == device) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(device));
  {
    const td::NoGradGuard no_grad;
    moved.copy_(x);
  }
  return moved.requires_grad_(x.requires_grad());
}
}  // namespace only_says_so

// answer: always_contiguous
// expect: a transposed view, cpu to cpu: nothing is to be done
// Makes a view contiguous where nothing is to be moved.
namespace always_contiguous {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  device = td::check_device(device);
  if (x.device() == device) return x.contiguous();
  td::Tensor moved = td::empty(x.sizes(), x.options().device(device));
  moved.copy_(x);
  return moved;
}
}  // namespace always_contiguous
