// The 16-bit float types of CUDA and pairs of them, on td's own: the arithmetic computes in float,
// and rounds to nearest even, as a GPU does for one operation. Included by simt/kernel.h and
// launch/launch.h; simt/half_functions.h has more functions.
#pragma once

#include <type_traits>

#include "simt/device_calls.h"
#include "simt/vector_types.h"
#include "td/tensor/half.h"

namespace td::simt {

/// Rounds to odd, after which rounding to fewer bits gives what one rounding would have given.
inline float to_odd_float(double x) {
  const float near = static_cast<float>(x);
  if (static_cast<double>(near) == x || near != near) return near;
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, near);
  if ((static_cast<double>(near) > x) == (x > 0)) --bits;
  return __builtin_bit_cast(float, bits | 1);
}
/// a * b + c, rounded to odd.
inline float to_odd_fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b), z = c, sum = product + z;
  const double of_z = sum - product, rest = (product - (sum - of_z)) + (z - of_z);
  std::uint64_t bits = __builtin_bit_cast(std::uint64_t, sum);
  if (rest == 0 || rest != rest || bits & 1) return to_odd_float(sum);
  bits += (rest > 0) == (sum > 0) ? 1 : -1ull;
  return to_odd_float(__builtin_bit_cast(double, bits));
}

}  // namespace td::simt

#define TD_SIMT_OPERATOR(name, op)                                                       \
  TD_SIMT_INLINE name operator op(name a, name b) { return name(float(a) op float(b)); } \
  TD_SIMT_INLINE name& operator op##=(name& a, name b) { return a = a op b; }
#define TD_SIMT_COMPARISON(name, op) \
  TD_SIMT_INLINE bool operator op(name a, name b) { return float(a) op float(b); }
#define TD_SIMT_OPERATOR_OF_PAIR(name, op)                                                 \
  TD_SIMT_INLINE name operator op(name a, name b) { return name(a.x op b.x, a.y op b.y); } \
  TD_SIMT_INLINE name& operator op##=(name& a, name b) { return a = a op b; }
#define TD_SIMT_COMPARISON_OF_PAIR(name, op) \
  TD_SIMT_INLINE bool operator op(name a, name b) { return a.x op b.x && a.y op b.y; }
#define TD_SIMT_OPERATORS(name, operators, comparison)                                             \
  operators(name, +) operators(name, -) operators(name, *) operators(name, /) comparison(name, ==) \
      comparison(name, <) comparison(name, >) comparison(name, <=) comparison(name, >=)            \
          TD_SIMT_INLINE bool                                                                      \
          operator!=(name a, name b) {                                                             \
    return !(a == b);                                                                              \
  }                                                                                                \
  TD_SIMT_INLINE name operator+(name a) { return a; }                                              \
  TD_SIMT_INLINE name& operator++(name& a) { return a += name::one(); }                            \
  TD_SIMT_INLINE name& operator--(name& a) { return a -= name::one(); }                            \
  TD_SIMT_INLINE name operator++(name& a, int) {                                                   \
    const name old = a;                                                                            \
    ++a;                                                                                           \
    return old;                                                                                    \
  }                                                                                                \
  TD_SIMT_INLINE name operator--(name& a, int) {                                                   \
    const name old = a;                                                                            \
    --a;                                                                                           \
    return old;                                                                                    \
  }

// Its constructor makes a constant, so that a __shared__ variable has no guard that kernels read.
#define TD_SIMT_HALF(name, Storage)                                      \
  struct name##_raw {                                                    \
    unsigned short x;                                                    \
  };                                                                     \
  struct name : Storage {                                                \
    constexpr name() : Storage() {}                                      \
    name(float value) : Storage(value) {}                                \
    template <class T>                                                   \
    requires std::is_arithmetic_v<T> name(T value)                       \
        : Storage(td::simt::to_odd_float(static_cast<double>(value))) {} \
    name(name##_raw raw) { bits = raw.x; }                               \
    operator name##_raw() const { return {bits}; }                       \
    static name one() { return 1.0f; }                                   \
  };                                                                     \
  TD_SIMT_INLINE name operator-(name a) {                                \
    return name##_raw{static_cast<unsigned short>(a.bits ^ 0x8000)};     \
  }                                                                      \
  TD_SIMT_OPERATORS(name, TD_SIMT_OPERATOR, TD_SIMT_COMPARISON)
#define TD_SIMT_PAIR(name, H)                                    \
  struct alignas(4) name {                                       \
    H x, y;                                                      \
    TD_SIMT_ONE_PIECE(name, 4)                                   \
    constexpr name() : x(), y() {}                               \
    name(H x_, H y_) : x(x_), y(y_) {}                           \
    static name one() { return {1.0f, 1.0f}; }                   \
  };                                                             \
  TD_SIMT_INLINE name operator-(name a) { return {-a.x, -a.y}; } \
  TD_SIMT_OPERATORS(name, TD_SIMT_OPERATOR_OF_PAIR, TD_SIMT_COMPARISON_OF_PAIR)
TD_SIMT_HALF(__half, td::Half)
TD_SIMT_HALF(__nv_bfloat16, td::BFloat16)
TD_SIMT_PAIR(__half2, __half)
TD_SIMT_PAIR(__nv_bfloat162, __nv_bfloat16)
#undef TD_SIMT_PAIR
#undef TD_SIMT_HALF
#undef TD_SIMT_OPERATORS
#undef TD_SIMT_COMPARISON_OF_PAIR
#undef TD_SIMT_OPERATOR_OF_PAIR
#undef TD_SIMT_COMPARISON
#undef TD_SIMT_OPERATOR

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
