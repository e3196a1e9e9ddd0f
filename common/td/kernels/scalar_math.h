// The functions that the .def lists name, for one number: the same names exist for Tensors.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "td/base/error.h"
#include "td/kernels/host_math.h"
#include "td/tensor/dtype.h"

namespace td::scalar_math {

using std::pow;
using std::sqrt;

// Of float on the host ours, which the compiler vectorizes; otherwise the library's.
#ifdef __CUDA_ARCH__
template <class T>
constexpr bool is_host_float = false;
#else
template <class T>
constexpr bool is_host_float = std::is_same_v<T, float>;
#endif
#define TD_FUNCTION(name)           \
  template <class T>                \
  TD_HD T name(T x) {               \
    if constexpr (is_host_float<T>) \
      return host_math::name(x);    \
    else                            \
      return std::name(x);          \
  }
TD_FUNCTION(cos)
TD_FUNCTION(erf)
TD_FUNCTION(exp)
TD_FUNCTION(expm1)
TD_FUNCTION(log)
TD_FUNCTION(log1p)
TD_FUNCTION(sin)
TD_FUNCTION(tanh)
#undef TD_FUNCTION

template <class T>
struct CosAndSin {
  T cos, sin;
};
/// Of the angle `turns` times 2 pi. @pre 0 <= turns < 1
template <class T>
TD_HD CosAndSin<T> cos_and_sin_of_turns(T turns) {
  if constexpr (is_host_float<T>) {
    const auto angle = host_math::Angle::of_turns(turns);
    return {angle.cos(), angle.sin()};
  } else {
    const T angle = T(6.283185307179586) * turns;
    return {std::cos(angle), std::sin(angle)};
  }
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

/// fmod(a, b), which the next two take. They find that of integers themselves.
template <class T>
TD_HD T rest_of([[maybe_unused]] T a, [[maybe_unused]] T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmod(a, b);
  else
    return T(0);
}

/// The remainder of a / b rounded down; it has the sign of b.
template <class T>
TD_HD T remainder_of(T a, T b, T rest) {
  if constexpr (!std::is_floating_point_v<T>) {
    check_divisor("remainder", b);
    rest = static_cast<T>(a % b);
  }
  return static_cast<T>(points_away(rest, b) ? rest + b : rest);
}

/// a / b rounded down. Of real numbers the remainder is subtracted first, as in Python: a / b alone
/// may round up to an integer that is too large.
template <class T>
TD_HD T quotient_floor(T a, T b, [[maybe_unused]] T rest) {
  if constexpr (std::is_floating_point_v<T>) {
    const T quotient = (a - rest) / b;
    return b == T(0) ? a / b : std::rint(points_away(rest, b) ? quotient - T(1) : quotient);
  } else {
    check_divisor("div", b);
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(points_away(static_cast<T>(a % b), b) ? quotient - 1 : quotient);
  }
}
///@}

}  // namespace td::scalar_math
