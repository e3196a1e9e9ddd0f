// Every kernel that ops/ calls: one function a kernel, on tensors whose sizes and types the
// operation has already checked. Results are allocated by the caller. Works on every device.
#pragma once

#include "td/kernels/geometry.h"
#include "td/tensor/tensor.h"

namespace td::kernels {

/// @name Element-wise, from the .def lists: out = f(in...); sizes broadcast to out's
/// @{
#define UNARY(name, saves, forward, gradient)             \
  void name(const Tensor& out, const Tensor& x);          \
  void name##_backward(const Tensor& out, const Tensor& g, const Tensor& saved);
#include "td/tensor/unary_any.def"
#include "td/tensor/unary_float.def"
#undef UNARY
#define BINARY(name, expression, gradient_a, gradient_b) \
  void name(const Tensor& out, const Tensor& a, const Tensor& b);
#include "td/tensor/binary.def"
#undef BINARY
#define COMPARISON(name, expression) void name(const Tensor& out, const Tensor& a, const Tensor& b);
#include "td/tensor/comparison.def"
#undef COMPARISON
/// @}

/// out = a + alpha * b. All of one type.
void add(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha);
/// out = value, everywhere.
void fill(const Tensor& out, const Scalar& value);
/// out = x, converting the type; strides of both sides are free. Same device.
void convert(const Tensor& out, const Tensor& x);
/// out = condition ? a : b; condition is bool, a and b have out's type.
void where(const Tensor& out, const Tensor& condition, const Tensor& a, const Tensor& b);

}  // namespace td::kernels
