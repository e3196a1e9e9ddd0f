// What every operation does first: name itself and its arguments, check that all of them are on
// one device, and find the type they meet in. Error texts are made here, so that all operations
// speak alike. An operation is one line of a tensor/*.def list or one file in ops/.
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
};

/// The errors of common_device. @throws DeviceError, Error
///@{
[[noreturn, gnu::cold]] void device_mismatch(const Op& op, const Tensor* const* tensors, int count);
[[noreturn, gnu::cold]] void undefined_argument(const Op& op, int argument);
///@}

/// The device that all arguments share. Undefined tensors are optional arguments and are passed
/// over, except the first. A 0-dimensional cpu tensor goes with any device, as a number does.
/// @throws DeviceError naming two arguments that differ, and the cure.
template <class... T>
Device common_device(const Op& op, const Tensor& first, const T&... rest) {
  if (!first.defined()) undefined_argument(op, 0);
  const Device device = first.device();
  const bool same = ((!rest.defined() || rest.impl().device == device) && ...);
  if (same) [[likely]]
    return device;
  const Tensor* const list[] = {&first, &rest...};
  // The device of the first argument that is not a plain number decides.
  Device wanted = device;
  for (const Tensor* t : list) {
    if (!t->defined() || (t->dim() == 0 && t->is_cpu())) continue;
    wanted = t->device();
    break;
  }
  for (const Tensor* t : list)
    if (t->defined() && !(t->device() == wanted) && !(t->dim() == 0 && t->is_cpu()))
      device_mismatch(op, list, 1 + static_cast<int>(sizeof...(rest)));
  return wanted;
}
/// The same for a list: argument names are `tensors[0]`, `tensors[1]`, ...
Device common_device(const char* op, const TensorList& tensors);

/// The type the arguments meet in: dimensioned tensors outrank 0-dimensional ones, which outrank
/// numbers, within one category (bool < integer < float).
ScalarType result_type(const Tensor& a, const Tensor& b);
ScalarType result_type(const Tensor& a, const Scalar& b);
/// float types stay, others become float32.
inline ScalarType float_type(ScalarType t) { return is_floating_point(t) ? t : kFloat; }

/// A 0-dimensional cpu tensor that gives way in promotion as a C++ number does.
Tensor wrapped_number(const Scalar& value);
/// An argument as an operation needs it: the tensor that was given where it fits, else a copy that
/// lives as long as this. Lets the common case pass without touching a reference count.
class Fitted {
 public:
  operator const Tensor&() const { return copy_.defined() ? copy_ : given_; }

 protected:
  explicit Fitted(const Tensor& given) : given_(given) {}
  const Tensor& given_;  ///< What was given.
  Tensor copy_;          ///< The copy, where one was needed.
};
/// `x` in type `dtype`.
struct InType : Fitted {
  InType(const Tensor& x, ScalarType dtype) : Fitted(x) {
    if (x.dtype() != dtype) copy_ = x.to(dtype);
  }
};
/// `x` in row-major order without gaps.
struct InOrder : Fitted {
  explicit InOrder(const Tensor& x) : Fitted(x) {
    if (!x.is_contiguous()) copy_ = x.contiguous();
  }
};
/// `x` in type `dtype`, the tensor itself when it has it.
inline Tensor as_type(const Tensor& x, ScalarType dtype) {
  return x.dtype() == dtype ? x : x.to(dtype);
}
/// @throws Error when `changed` and `read`, which stand for each other element by element, share
/// some memory but not all: elements would be changed before they are read. Tensors with gaps pass.
void assert_no_partial_overlap(const char* operation, const Tensor& changed, const Tensor& read,
                               const char* argument);
/// A new result tensor for element-wise operations: dense, in the memory order of `like` when that
/// has the result's sizes.
Tensor result_like(const Tensor& like, const Sizes& sizes, ScalarType dtype, Device device);
/// The same for two inputs, either of which may be broadcast to `sizes`.
Tensor result_like(const Tensor& a, const Tensor& b, const Sizes& sizes, ScalarType dtype,
                   Device device);

}  // namespace td
