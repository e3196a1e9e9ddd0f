// The functions that the .def lists name, for one number: the same names exist for Tensors.
#pragma once

#include <cmath>
#include <type_traits>

#include "td/tensor/half.h"

namespace td::scalar_math {

using std::cos;
using std::erf;
using std::exp;
using std::log;
using std::log1p;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

template <class A, class B>
TD_HD auto where(bool condition, A yes, B no) {
  return condition ? yes : no;
}
/// -1, 0 or 1; 0 for NaN, as in libtorch.
template <class T>
TD_HD T sign(T x) {
  return static_cast<T>((T(0) < x) - (x < T(0)));
}
/// Whole numbers are rounded already.
///@{
template <class T>
TD_HD T floor(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::floor(x);
  else
    return x;
}
template <class T>
TD_HD T ceil(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::ceil(x);
  else
    return x;
}
template <class T>
TD_HD T rint(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::rint(x);
  else
    return x;
}
///@}

template <class T>
TD_HD T larger(T a, T b) {
  return a != a || a > b ? a : b;
}
template <class T>
TD_HD T smaller(T a, T b) {
  return a != a || a < b ? a : b;
}
/// a to the power b; whole numbers by squaring, and 0 for a negative exponent unless |a| is 1.
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

}  // namespace td::scalar_math
