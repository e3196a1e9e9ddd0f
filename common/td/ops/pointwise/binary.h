// What element-wise functions of several tensors share (add.cu, binary.cu, logic.cu, ternary.cu):
// the arguments in one type, results in place, and kernels.
#pragma once

#include "td/ops/op.h"

namespace td {

/// The two arguments converted to one type, and the result that will be written.
struct BinaryArguments {
  InType a, b;
  Tensor out;
};
BinaryArguments prepare(const Op& op, const Tensor& a, const Tensor& b, bool makes_float);
/// `b` in the type of `a`, for `a op= b`. @throws where the result does not fit into a.
InType prepare_in_place(const Op& op, const Tensor& a, const Tensor& b);
/// @throws DtypeError where a result of type `type` cannot be stored in `self`.
void check_can_keep(const char* op, ScalarType type, const Tensor& self);
/// A number in the type in which it is combined with `input`, so that no conversion is needed.
/// @param makes_float the result is floating point for integers, too
Tensor number_beside(const Tensor& input, const Scalar& value, bool makes_float = false);
/// A wrapped number in float64: values computed from it alone would otherwise be float32.
Tensor all_digits(const Tensor& x);

/// The sizes and type of an argument, which its gradient gets too.
struct ArgumentForm {
  Sizes sizes;
  ScalarType type;
  explicit ArgumentForm(const Tensor& argument)
      : sizes(argument.impl().sizes), type(argument.dtype()) {}
  /// `gradient`, which may be broadcast and of another type, in this form.
  Tensor fit(const Tensor& gradient) const { return as_type(sum_to(gradient, sizes), type); }
};

/// The part of maximum's gradient that a gets: 0 where a < b, 1/2 where they are equal, else 1.
Tensor maximum_grad_weight(const Tensor& a, const Tensor& b);

/// Kernels that other files of this family launch too.
namespace kernels {
void logical_and(const Tensor& out, const Tensor& a, const Tensor& b);
void logical_or(const Tensor& out, const Tensor& a, const Tensor& b);
}  // namespace kernels

}  // namespace td
