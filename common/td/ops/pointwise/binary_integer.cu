// The functions of binary_integer.def (quotients without a fraction, remainders) for one pair of
// numbers and for tensors, division with a rounding mode, and their forms for numbers and in place;
// also pow in place.
#include <cmath>

#include "td/kernels/pointwise.h"
#include "td/ops/pointwise/binary.h"

namespace td::scalar_math {
namespace {

/// Division of integers by 0 stops a host processor: it becomes an error instead. On cuda nothing
/// stops, and the result is undefined, as in PyTorch.
template <class T>
TD_HD void check_divisor([[maybe_unused]] T b) {
#ifndef __CUDA_ARCH__
  if (b == T(0)) fail<Error>("div: an integer was divided by 0; check the divisor with ne(0)");
#endif
}

/// True when a remainder of the division by b has the other sign than b.
template <class T>
TD_HD bool points_away(T remainder, T b) {
  return remainder != T(0) && (remainder < T(0)) != (b < T(0));
}

/// a / b towards 0.
template <class T>
TD_HD T quotient_trunc(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::trunc(a / b);
  } else {
    check_divisor(b);
    return static_cast<T>(a / b);
  }
}

/// What a / b, rounded down, leaves over: it has the sign of b.
template <class T>
TD_HD T remainder_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    return points_away(rest, b) ? rest + b : rest;
  } else {
    check_divisor(b);
    const T rest = static_cast<T>(a % b);
    return static_cast<T>(points_away(rest, b) ? rest + b : rest);
  }
}

/// a / b rounded down. Real numbers take the remainder off first, as Python does: a / b alone may
/// round up to an integer that is too large.
template <class T>
TD_HD T quotient_floor(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (b == T(0)) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (points_away(rest, b)) quotient -= T(1);
    return std::rint(quotient);
  } else {
    check_divisor(b);
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(points_away(static_cast<T>(a % b), b) ? quotient - 1 : quotient);
  }
}

}  // namespace
}  // namespace td::scalar_math

namespace td {
namespace {

#define BINARY(...) TD_BINARY_OP(__VA_ARGS__)
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY

// Puts the result of an operation into `self`, which is changed in place.
void keep(const char* op, const Tensor& self, const Tensor& result) {
  check_can_keep(op, result.dtype(), self);
  TD_CHECK(ShapeError, result.sizes() == self.sizes(), op, "_: a result of sizes ", result.sizes(),
           " does not fit into \"input\" of sizes ", self.sizes(), ", which is changed in place");
  self.copy_(result);
}

// What the operation reads while `self` changes: when recorded, a copy, so that the gradient finds
// the old values.
Tensor before_change(const Tensor& self, const Tensor& other) {
  return recording(self, other) ? self.clone() : self;
}

}  // namespace

#define BINARY(name, ...) \
  Tensor name(const Tensor& input, const Tensor& other) { return binary(name##_op, input, other); }
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY

Tensor div(const Tensor& input, const Tensor& other, optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div(input, other);
  if (*rounding_mode == "trunc") return div_trunc(input, other);
  TD_CHECK(Error, *rounding_mode == "floor",
           "div: the rounding mode must be \"trunc\" or \"floor\" but is \"", *rounding_mode, "\"");
  return div_floor(input, other);
}
Tensor div(const Tensor& input, const Scalar& other, optional<std::string_view> rounding_mode) {
  return div(input, wrapped_number(other), rounding_mode);
}
Tensor remainder(const Tensor& input, const Scalar& other) {
  return remainder(input, wrapped_number(other));
}
Tensor remainder(const Scalar& input, const Tensor& other) {
  return remainder(wrapped_number(input), other);
}

Tensor& Tensor::div_(const Tensor& other, optional<std::string_view> rounding_mode) const {
  keep("div", *this, td::div(before_change(*this, other), other, rounding_mode));
  return handle();
}
Tensor& Tensor::div_(const Scalar& other, optional<std::string_view> rounding_mode) const {
  return div_(wrapped_number(other), rounding_mode);
}
Tensor& Tensor::remainder_(const Tensor& other) const {
  keep("remainder", *this, td::remainder(before_change(*this, other), other));
  return handle();
}
Tensor& Tensor::remainder_(const Scalar& other) const { return remainder_(wrapped_number(other)); }
Tensor& Tensor::pow_(const Tensor& exponent) const {
  keep("pow", *this, td::pow(before_change(*this, exponent), exponent));
  return handle();
}
Tensor& Tensor::pow_(const Scalar& exponent) const {
  keep("pow", *this, td::pow(before_change(*this, *this), exponent));
  return handle();
}

}  // namespace td
