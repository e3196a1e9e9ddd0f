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
Tensor number_beside(const Tensor& input, const Scalar& value);

/// The sizes and type of an argument, which its gradient gets too.
struct ArgumentForm {
  Sizes sizes;
  ScalarType type;
  explicit ArgumentForm(const Tensor& argument)
      : sizes(argument.impl().sizes), type(argument.dtype()) {}
  /// `gradient`, which may be broadcast and of another type, in this form.
  Tensor fit(const Tensor& gradient) const { return as_type(sum_to(gradient, sizes), type); }
};

/// 1 where a > b, 1/2 where they are equal, else 0: the part of maximum's gradient that a gets.
Tensor maximum_grad_weight(const Tensor& a, const Tensor& b);

/// Kernels that other files of this family launch too.
namespace kernels {
void logical_and(const Tensor& out, const Tensor& a, const Tensor& b);
void logical_or(const Tensor& out, const Tensor& a, const Tensor& b);
}  // namespace kernels

}  // namespace td
