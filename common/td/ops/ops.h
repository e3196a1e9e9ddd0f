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

}  // namespace td
