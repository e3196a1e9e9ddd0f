// What every operation does first: name itself and its arguments, check that all of them are on
// one device, find their common type, and make the result. Error texts are made here, so that
// the messages of all operations agree. An operation is a line of a pointwise list or a file in
// ops/.
#pragma once

#include "td/autograd/record.h"
#include "td/ops/autocast.h"
#include "td/ops/kernels.h"
#include "td/ops/ops.h"

namespace td {

/// The name of an operation and of its tensor arguments, in order.
struct Op {
  const char* name;          ///< as users write it
  const char* arguments[6];  ///< names in the declaration
  int required = 6;          ///< arguments that must be defined: so many from the first on
};

/// @throws Error: this argument is undefined.
[[noreturn, gnu::cold]] void undefined_argument(const char* op, const char* argument);
/// What common_device does where the devices differ.
Device mixed_device(const Op& op, const Tensor* const* tensors, int count);

/// The device of "input", an operation's only tensor. @throws Error when it is undefined.
inline Device device_of(const char* op, const Tensor& input) {
  if (!input.defined()) undefined_argument(op, "input");
  return input.device();
}
/// The device that all arguments share. Optional arguments that are undefined are skipped. A
/// 0-dimensional cpu tensor goes with any device, as a number does.
/// @throws Error naming an argument that is undefined; DeviceError naming two that differ, and how
/// to fix that.
template <class... T>
Device common_device(const Op& op, const Tensor& first, const T&... rest) {
  int at = 0;
  const auto check = [&](const Tensor& argument) {
    if (!argument.defined() && at < op.required) undefined_argument(op.name, op.arguments[at]);
    ++at;
  };
  check(first), (check(rest), ...);
  const Device device = first.device();
  if (((!rest.defined() || rest.impl().device == device) && ...)) [[likely]]
    return device;
  const Tensor* const list[] = {&first, &rest...};
  return mixed_device(op, list, 1 + static_cast<int>(sizeof...(rest)));
}
/// The same for a list: argument names are `tensors[0]`, `tensors[1]`, ...
Device common_device(const char* op, const TensorList& tensors);

/// The type to which the arguments are promoted: dimensioned tensors outrank 0-dimensional ones,
/// which outrank numbers, within one category (bool < integer < float).
ScalarType result_type(const Tensor& a, const Tensor& b);
ScalarType result_type(const Tensor& a, const Scalar& b);
/// float types stay, others become float32.
inline ScalarType float_type(ScalarType t) { return is_floating_point(t) ? t : kFloat; }

/// A 0-dimensional cpu tensor that gives way in promotion as a C++ number does; in the number's own
/// type or in `dtype`.
Tensor wrapped_number(const Scalar& value);
Tensor wrapped_number(const Scalar& value, ScalarType dtype);

/// `x` in type `dtype`: the tensor that was given where it has that type, else a copy that lives as
/// long as this. The common case touches no reference count.
class InType {
 public:
  InType(const Tensor& x, ScalarType dtype) : given_(x) {
    if (x.dtype() != dtype) copy_ = x.to(dtype);
  }
  operator const Tensor&() const { return copy_.defined() ? copy_ : given_; }

 private:
  const Tensor& given_;
  Tensor copy_;
};
/// `x` itself or its copy in type `dtype`, as a handle.
inline Tensor as_type(const Tensor& x, ScalarType dtype) {
  return x.dtype() == dtype ? x : x.to(dtype);
}
/// `x` on `device`. Streams order copies between accelerators, so the host waits only for a copy to
/// the host.
inline Tensor to_device(const Tensor& x, Device device, bool copy = false) {
  return x.to(device, x.dtype(), /*non_blocking=*/!device.is_cpu(), copy);
}
/// Writes a warning where a loss would broadcast: of [4, 1] and [4] it would compare all 16 pairs.
void warn_of_broadcast(const Op& op, const Tensor& input, const Tensor& target);
/// @throws Error when `changed` and `read`, whose elements correspond one to one, share some memory
/// but not all: elements would change before they are read.
void assert_no_partial_overlap(const char* operation, const Tensor& changed, const Tensor& read,
                               const char* argument);
/// @throws Error when `changed` and `read`, whose elements do not correspond, share some memory.
void assert_no_overlap(const char* operation, const Tensor& changed, const Tensor& read,
                       const char* argument);
/// Records `values`, the elements of `input` at `index` along `dim`: gradients are added there.
void record_selection(const char* op, const Tensor& values, const Tensor& input, std::int64_t dim,
                      const Tensor& index);
/// A new result tensor for element-wise operations: dense, in the memory layout of `like` when that
/// has the result's sizes.
inline Tensor result_like(const Tensor& like, const Sizes& sizes, ScalarType dtype, Device device) {
  Tensor out = empty_on(sizes, dtype, device);
  if (!like.is_contiguous() && like.impl().sizes == sizes)
    out.impl().set_geometry(sizes, preserved_strides(sizes, like.strides()));
  return out;
}
/// The same for two inputs, either of which may be broadcast to `sizes`.
Tensor result_like(const Tensor& a, const Tensor& b, const Sizes& sizes, ScalarType dtype,
                   Device device);

}  // namespace td
