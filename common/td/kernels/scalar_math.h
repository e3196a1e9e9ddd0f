// The functions that the .def lists name, for one number: the same names exist for Tensors.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "td/base/error.h"
#include "td/tensor/dtype.h"

namespace td::scalar_math {

using std::cos;
using std::erf;
using std::expm1;
using std::log;
using std::log1p;
using std::pow;
using std::sin;
using std::sqrt;

/// e to the power x for float on the host, at most 1.2 units in the last place off. The library's
/// function is one call per number; the compiler vectorizes a loop over this one.
/// x = n ln 2 + r with an integer n, so e^x = 2^n e^r; for |r| <= 0.35 a polynomial gives e^r (its
/// coefficients are near those of the series, 1 / k!). NaN stays NaN.
inline float exp_by_polynomial(float x) {
  const float bounded = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;  // beyond: 0 and infinity
  constexpr float kRound = 0x1.8p23f;  // so large that adding it leaves no fraction
  const float shifted = bounded * 0x1.715476p0f + kRound;  // x / ln 2
  const float n = shifted - kRound;
  const float r = (bounded - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;  // ln 2 in two parts
  float p = 0x1.6850e4p-10f;
  p = p * r + 0x1.123bccp-7f;
  p = p * r + 0x1.555b98p-5f;
  p = p * r + 0x1.55548ep-3f;
  p = p * r + 0x1.fffff8p-2f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // A float with these exponent bits is a power of two. In two steps: 2^n itself may be too large
  // or too small for one.
  const auto power = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
  const std::int32_t half = power >> 1;
  const auto two_to = [](std::int32_t k) { return std::bit_cast<float>((k + 127) << 23); };
  return p * two_to(half) * two_to(power - half);
}

/// Hyperbolic tangent, made like exp_by_polynomial; at most 1.5 units in the last place off.
inline float tanh_by_polynomial(float x) {
  const float size = std::fabs(x), z = x * x;
  float p = -5.70498872745e-3f;  // of Cephes' tanhf (S. Moshier), for |x| < 0.625
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float near = p * z * size + size;
  const float far = 1.0f - 2.0f / (exp_by_polynomial(2.0f * size) + 1.0f);
  return std::copysign(size < 0.625f ? near : far, x);
}

template <class T>
TD_HD T exp(T x) {
#ifndef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) return exp_by_polynomial(x);
#endif
  return std::exp(x);
}
template <class T>
TD_HD T tanh(T x) {
#ifndef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) return tanh_by_polynomial(x);
#endif
  return std::tanh(x);
}

template <class A, class B>
TD_HD auto where(bool condition, A yes, B no) {
  return condition ? yes : no;
}
template <class T>
TD_HD T zeros_like(T) {
  return T(0);
}
/// -1, 0 or 1; 0 for NaN, as in libtorch.
template <class T>
TD_HD T sign(T x) {
  return static_cast<T>((T(0) < x) - (x < T(0)));
}
/// floor, ceil and rint. Integers are rounded already.
#define TD_ROUNDING(name)                      \
  template <class T>                           \
  TD_HD T name(T x) {                          \
    if constexpr (std::is_floating_point_v<T>) \
      return std::name(x);                     \
    else                                       \
      return x;                                \
  }
TD_ROUNDING(floor)
TD_ROUNDING(ceil)
TD_ROUNDING(rint)
#undef TD_ROUNDING

template <class T>
TD_HD T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}
/// The point between a and b at weight w: a for 0, b for 1, each exactly.
template <class T>
TD_HD T between(T a, T b, T w) {
  return w < T(0.5) ? a + w * (b - a) : b - (b - a) * (T(1) - w);
}

template <class T>
TD_HD T larger(T a, T b) {
  return a != a || a > b ? a : b;
}
template <class T>
TD_HD T smaller(T a, T b) {
  return a != a || a < b ? a : b;
}
/// a to the power b; integers by squaring, and 0 for a negative exponent unless |a| is 1.
template <class T>
TD_HD T power(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(a, b);
  } else {
    if (b < T(0)) return a == T(1) ? T(1) : (a == T(-1) ? ((b & 1) ? T(-1) : T(1)) : T(0));
    T result = 1;
    for (; b; b >>= 1, a *= a)
      if (b & 1) result *= a;
    return result;
  }
}

/// @name Rounded quotients, and remainders (binary_integer.def)
///@{
/// Division of integers by 0 stops a host processor: it becomes an error instead. On cuda nothing
/// stops, and the result is undefined, as in PyTorch.
template <class T>
TD_HD void check_divisor([[maybe_unused]] const char* op, [[maybe_unused]] T b) {
#ifndef __CUDA_ARCH__
  if (b == T(0)) fail<Error>(op, ": an integer was divided by 0; check the divisor with ne(0)");
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
    check_divisor("div", b);
    return static_cast<T>(a / b);
  }
}

/// The remainder of a / b rounded down; it has the sign of b.
template <class T>
TD_HD T remainder_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    return points_away(rest, b) ? rest + b : rest;
  } else {
    check_divisor("remainder", b);
    const T rest = static_cast<T>(a % b);
    return static_cast<T>(points_away(rest, b) ? rest + b : rest);
  }
}

/// a / b rounded down. Of real numbers the remainder is subtracted first, as in Python: a / b alone
/// may round up to an integer that is too large.
template <class T>
TD_HD T quotient_floor(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (b == T(0)) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (points_away(rest, b)) quotient -= T(1);
    return std::rint(quotient);
  } else {
    check_divisor("div", b);
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(points_away(static_cast<T>(a % b), b) ? quotient - 1 : quotient);
  }
}
///@}

}  // namespace td::scalar_math
