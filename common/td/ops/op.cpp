// Checks and errors that all operations share, and the promotion rules.
#include "td/ops/op.h"

#include <functional>
#include <map>

namespace td {
namespace {

int category(ScalarType t) { return t == kBool ? 0 : is_floating_point(t) ? 2 : 1; }
int rank(const Tensor& t) { return t.impl().wrapped_number ? 0 : t.dim() == 0 ? 1 : 2; }
// A wrapped number is at least int64 as an integer, float32 as a float: only its category counts.
ScalarType offered(const Tensor& t) {
  return t.impl().wrapped_number && t.is_floating_point() ? kFloat : t.dtype();
}

// Elements from the first one to the end of the last one.
std::int64_t extent(const TensorImpl& t) {
  std::int64_t reach = 1;
  for (std::size_t d = 0; d < t.sizes.size(); ++d) reach += (t.sizes[d] - 1) * t.strides[d];
  return reach;
}

// Strides, from the largest to the smallest, and how often each may be added at most.
using Steps = std::map<std::int64_t, std::int64_t, std::greater<>>;

// Whether a sum of steps is `wanted`. For the strides of tensors, few counts are possible at each
// step. `work` ends the search in strange cases, which then pass.
bool reaches(Steps::const_iterator step, Steps::const_iterator end, std::int64_t wanted,
             int& work) {
  if (wanted < 0 || --work < 0) return false;
  if (step == end) return wanted == 0;
  const auto [stride, most] = *step++;
  std::int64_t rest = 0;  // the most that the smaller steps add
  for (auto later = step; later != end; ++later) rest += later->first * later->second;
  const std::int64_t fewest = std::max<std::int64_t>(0, (wanted - rest + stride - 1) / stride);
  for (std::int64_t n = fewest; n <= std::min(most, wanted / stride); ++n)
    if (reaches(step, end, wanted - n * stride, work)) return true;
  return false;
}

// Whether an element of a is an element of b:  offset_a + sum i s_a = offset_b + sum j s_b.
// Counted from the last element of b backwards, all steps have the same sign.
bool share_elements(const TensorImpl& a, const TensorImpl& b) {
  Steps steps;
  for (const TensorImpl* t : {&a, &b})
    for (std::size_t d = 0; d < t->sizes.size(); ++d)
      if (t->strides[d] != 0) steps[t->strides[d]] += t->sizes[d] - 1;
  int work = 100000;
  return reaches(steps.begin(), steps.end(), b.offset + extent(b) - 1 - a.offset, work);
}

}  // namespace

void undefined_argument(const char* op, const char* argument) {
  fail<Error>(op, ": \"", argument, "\" is undefined: it was declared but never given a value");
}

Device mixed_device(const Op& op, const Tensor* const* tensors, int count) {
  // The first argument that is not a plain number decides.
  int first = -1;
  for (int i = 0; i < count; ++i) {
    const Tensor& t = *tensors[i];
    if (!t.defined() || (t.dim() == 0 && t.is_cpu())) continue;
    if (first < 0) first = i;
    const Device wanted = tensors[first]->device();
    // Advise towards the accelerator: that is where the work was meant to run.
    const int mover = wanted.is_cpu() ? first : i;
    TD_CHECK(DeviceError, t.device() == wanted, op.name, ": \"", op.arguments[i], "\" is on ",
             t.device(), " but \"", op.arguments[first], "\" is on ", wanted,
             ". All tensors of an operation must be on one device; move one with ",
             op.arguments[mover], ".to(\"", mover == first ? t.device() : wanted, "\").");
  }
  return tensors[first < 0 ? 0 : first]->device();
}

Device common_device(const char* op, const TensorList& tensors) {
  TD_CHECK(ShapeError, !tensors.empty(), op, ": expected at least one tensor, got an empty list");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TD_CHECK(Error, tensors[i].defined(), op, ": tensors[", i, "] is undefined");
    TD_CHECK(DeviceError, tensors[i].device() == tensors[0].device(), op, ": \"tensors[", i,
             "]\" is on ", tensors[i].device(), " but \"tensors[0]\" is on ", tensors[0].device(),
             ". All tensors of an operation must be on one device; move one with tensors[", i,
             "].to(\"", tensors[0].device(), "\").");
  }
  return tensors[0].device();
}

ScalarType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype() && !a.impl().wrapped_number && !b.impl().wrapped_number)
    return a.dtype();
  const Tensor& strong = rank(a) >= rank(b) ? a : b;
  const Tensor& weak = rank(a) >= rank(b) ? b : a;
  if (rank(a) != rank(b) && category(weak.dtype()) <= category(strong.dtype()))
    return offered(strong);
  return rank(a) == rank(b) ? promote_types(offered(a), offered(b)) : offered(weak);
}

ScalarType result_type(const Tensor& a, const Scalar& b) {
  if (category(b.kind()) <= category(a.dtype())) return a.dtype();
  return b.is_floating_point() ? kFloat : kLong;
}

Tensor wrapped_number(const Scalar& value) { return wrapped_number(value, value.kind()); }
Tensor wrapped_number(const Scalar& value, ScalarType dtype) {
  Tensor number = empty_on({}, dtype, Device(kCPU));
  dispatch_all(dtype, [&]<class T>(CppType<T>) { *number.data_ptr<T>() = value.to<T>(); });
  number.impl().wrapped_number = true;
  return number;
}

Tensor result_like(const Tensor& a, const Tensor& b, const Sizes& sizes, ScalarType dtype,
                   Device device) {
  Tensor out = empty_on(sizes, dtype, device);
  if (a.is_contiguous() && b.is_contiguous()) return out;
  if (a.impl().sizes == b.impl().sizes && a.impl().strides == b.impl().strides)
    return result_like(a, sizes, dtype, device);
  const Tensor wide_a = a.detach().expand(sizes), wide_b = b.detach().expand(sizes);
  out.impl().set_geometry(sizes, preserved_strides(sizes, wide_a.strides(), wide_b.strides()));
  return out;
}

void warn_of_broadcast(const Op& op, const Tensor& input, const Tensor& target) {
  if (input.impl().sizes == target.impl().sizes) return;
  broadcast_sizes(op.name, input.sizes(), target.sizes());
  warn_once(
      op.name, ": \"target\" has sizes ", target.sizes(), " but \"input\" has ", input.sizes(),
      ". Both are broadcast, so the loss is probably not the one that you want; give them the "
      "same sizes, for example with view_as or unsqueeze");
}

void assert_no_partial_overlap(const char* operation, const Tensor& changed, const Tensor& read,
                               const char* argument) {
  const TensorImpl &a = changed.impl(), &b = read.impl();
  bool same = a.offset == b.offset && a.sizes == b.sizes;
  for (std::size_t d = 0; same && d < a.sizes.size(); ++d)
    same = a.sizes[d] == 1 || a.strides[d] == b.strides[d];
  if (same) return;
  assert_no_overlap(operation, changed, read, argument);
}

void assert_no_overlap(const char* operation, const Tensor& changed, const Tensor& read,
                       const char* argument) {
  const TensorImpl &a = changed.impl(), &b = read.impl();
  if (a.storage != b.storage || changed.numel() == 0 || read.numel() == 0) return;
  const bool apart = a.offset + extent(a) <= b.offset || b.offset + extent(b) <= a.offset;
  TD_CHECK(Error, apart || !share_elements(a, b), operation, ": \"", argument,
           "\" shares memory with the tensor that is changed; use its clone()");
}

}  // namespace td
