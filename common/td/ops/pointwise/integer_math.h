// The functions that binary_integer.def names, for one pair of numbers: quotients without a
// fraction, and remainders. Used by binary.cu.
#pragma once

#include <cmath>
#include <type_traits>

#include "td/base/error.h"
#include "td/tensor/dtype.h"

namespace td::scalar_math {

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

}  // namespace td::scalar_math
