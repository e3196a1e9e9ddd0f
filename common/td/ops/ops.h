// The index of operations: every free function a program can call on tensors, with libtorch's
// names and argument order. Element-wise functions stand in tensor/*.def, one line each.
#pragma once

#include "td/tensor/tensor.h"

namespace td {

/// @name Element-wise functions of one tensor (tensor/unary_*.def); `name_` works in place
/// @{
#define UNARY(name, saves, forward, gradient) \
  Tensor name(const Tensor& input);           \
  Tensor& name##_(Tensor& input);
#include "td/tensor/unary_any.def"
#include "td/tensor/unary_float.def"
#undef UNARY
/// @}

/// @name Element-wise functions of two tensors (tensor/binary.def); sizes broadcast
/// @{
#define BINARY(name, expression, gradient_a, gradient_b)        \
  Tensor name(const Tensor& input, const Tensor& other);
#include "td/tensor/binary.def"
#undef BINARY
/// input + alpha * other
Tensor add(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
/// input - alpha * other
Tensor sub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor add(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
Tensor sub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
Tensor mul(const Tensor& input, const Scalar& other);
Tensor div(const Tensor& input, const Scalar& other);
Tensor pow(const Tensor& input, const Scalar& exponent);
Tensor pow(const Scalar& base, const Tensor& exponent);
/// 1 where a > b, 1/2 where they are equal, else 0: how maximum shares its gradient.
Tensor share_above(const Tensor& a, const Tensor& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
Tensor operator-(const Scalar& a, const Tensor& b);
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
Tensor operator/(const Scalar& a, const Tensor& b);
/// @}

/// @name Comparison and choice; results of comparisons are bool tensors
/// @{
#define COMPARISON(name, expression)                      \
  Tensor name(const Tensor& input, const Tensor& other);  \
  Tensor name(const Tensor& input, const Scalar& other);
#include "td/tensor/comparison.def"
#undef COMPARISON
#define TD_COMPARE(symbol, name)                                                              \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return name(a, b); }      \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return name(a, b); }
TD_COMPARE(==, eq)
TD_COMPARE(!=, ne)
TD_COMPARE(<, lt)
TD_COMPARE(<=, le)
TD_COMPARE(>, gt)
TD_COMPARE(>=, ge)
#undef TD_COMPARE
/// `input` where `condition` (bool) holds, else `other`; sizes broadcast.
Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other);
Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other);
/// @}

/// @name Products; both arguments have one dtype
/// @{
/// Matrices [m, k] times [k, n]. @throws ShapeError, DtypeError, DeviceError as all products do.
Tensor mm(const Tensor& input, const Tensor& mat2);
/// Matrix [m, k] times vector [k].
Tensor mv(const Tensor& input, const Tensor& vec);
/// Inner product of two vectors: a tensor without dimensions.
Tensor dot(const Tensor& input, const Tensor& tensor);
/// As many products of matrices as there are: [b, m, k] times [b, k, n].
Tensor bmm(const Tensor& input, const Tensor& mat2);
/// The product that the numbers of dimensions ask for: vectors count as one row (left) or one
/// column (right), which the result does not have; sizes before the last two broadcast.
Tensor matmul(const Tensor& input, const Tensor& other);
/// beta * input + alpha * (mat1 mat2); `input` broadcasts and is not read when beta is 0.
Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// All products of an element of one vector [m] with one of the other [n]: [m, n].
Tensor outer(const Tensor& input, const Tensor& vec2);
/// input [..., in_features] times weight [out_features, in_features] transposed, plus bias
/// [out_features]: the layer nn::Linear.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// @}

}  // namespace td
