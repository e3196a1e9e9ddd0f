// Arithmetic and conversions with a stated rounding: __fadd_rz, __float2int_ru. Included by
// simt/kernel.h.
#pragma once

#include <cstdint>

#include "simt/device_calls.h"

namespace td::simt {

/// To the nearest (even if two are as near), towards 0, up, and down.
enum class Rounding : std::uint8_t { rn, rz, ru, rd };
enum class Arithmetic : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kFma, kRoot };

/// One operation (rounding.cpp).
///@{
float rounded(Arithmetic operation, Rounding rounding, float a, float b = 0, float c = 0);
double rounded(Arithmetic operation, Rounding rounding, double a, double b = 0, double c = 0);
///@}
/// The number in another type.
///@{
float to_float(double x, Rounding rounding);
inline float to_float(int x, Rounding rounding) {
  return to_float(static_cast<double>(x), rounding);
}
inline float to_float(unsigned x, Rounding rounding) {
  return to_float(static_cast<double>(x), rounding);
}
float to_float(long long x, Rounding rounding);
float to_float(unsigned long long x, Rounding rounding);
double to_double(long long x, Rounding rounding);
double to_double(unsigned long long x, Rounding rounding);
///@}

/// An integer; the nearest of the type where x is larger or less, and 0 for NaN, but the highest
/// bit in 64 bits.
template <class Integer, class T>
TD_SIMT_INLINE Integer to_integer(T x, Rounding rounding) {
  constexpr int kBits = 8 * sizeof(Integer);
  constexpr bool kSigned = Integer(-1) < Integer(0);
  constexpr Integer kTop = static_cast<Integer>(1ull << (kBits - 1));  // the least if signed
  constexpr Integer kLeast = kSigned ? kTop : Integer(0), kMost = static_cast<Integer>(~kLeast);
  constexpr double kEnd = (kSigned ? 1.0 : 2.0) * static_cast<double>(1ull << (kBits - 1));
  const double exact = static_cast<double>(x);
  const double whole = rounding == Rounding::rn   ? __builtin_nearbyint(exact)
                       : rounding == Rounding::ru ? __builtin_ceil(exact)
                       : rounding == Rounding::rd ? __builtin_floor(exact)
                                                  : __builtin_trunc(exact);
  if (whole != whole) return kBits == 64 ? kTop : Integer(0);
  return whole >= kEnd                          ? kMost
         : whole <= static_cast<double>(kLeast) ? kLeast
                                                : static_cast<Integer>(whole);
}

}  // namespace td::simt

#define TD_SIMT_ROUNDED(T, name, mode, parameters, ...)          \
  TD_SIMT_INLINE T name##_##mode parameters {                    \
    return td::simt::rounded(td::simt::Arithmetic::__VA_ARGS__); \
  }
#define TD_SIMT_ARITHMETIC(T, letter, fma, mode)                                                   \
  TD_SIMT_ROUNDED(T, __##letter##add, mode, (T a, T b), kAdd, td::simt::Rounding::mode, a, b)      \
  TD_SIMT_ROUNDED(T, __##letter##sub, mode, (T a, T b), kSubtract, td::simt::Rounding::mode, a, b) \
  TD_SIMT_ROUNDED(T, __##letter##mul, mode, (T a, T b), kMultiply, td::simt::Rounding::mode, a, b) \
  TD_SIMT_ROUNDED(T, __##letter##div, mode, (T a, T b), kDivide, td::simt::Rounding::mode, a, b)   \
  TD_SIMT_ROUNDED(T, __##letter##rcp, mode, (T a), kDivide, td::simt::Rounding::mode, 1, a)        \
  TD_SIMT_ROUNDED(T, __##letter##sqrt, mode, (T a), kRoot, td::simt::Rounding::mode, a)            \
  TD_SIMT_ROUNDED(T, fma, mode, (T a, T b, T c), kFma, td::simt::Rounding::mode, a, b, c)
// To the nearest, it is the processor's own arithmetic.
#define TD_SIMT_USUAL_ARITHMETIC(T, letter, fma, sqrt_of, fma_of)  \
  TD_SIMT_INLINE T __##letter##add_rn(T a, T b) { return a + b; }  \
  TD_SIMT_INLINE T __##letter##sub_rn(T a, T b) { return a - b; }  \
  TD_SIMT_INLINE T __##letter##mul_rn(T a, T b) { return a * b; }  \
  TD_SIMT_INLINE T __##letter##div_rn(T a, T b) { return a / b; }  \
  TD_SIMT_INLINE T __##letter##rcp_rn(T a) { return 1 / a; }       \
  TD_SIMT_INLINE T __##letter##sqrt_rn(T a) { return sqrt_of(a); } \
  TD_SIMT_INLINE T fma##_rn(T a, T b, T c) { return fma_of(a, b, c); }
TD_SIMT_USUAL_ARITHMETIC(float, f, __fmaf, __builtin_sqrtf, __builtin_fmaf)
TD_SIMT_USUAL_ARITHMETIC(double, d, __fma, __builtin_sqrt, __builtin_fma)
#define TD_SIMT_IN_MODE(mode)                \
  TD_SIMT_ARITHMETIC(float, f, __fmaf, mode) \
  TD_SIMT_ARITHMETIC(double, d, __fma, mode)
TD_SIMT_IN_MODE(rz)
TD_SIMT_IN_MODE(ru)
TD_SIMT_IN_MODE(rd)
TD_SIMT_INLINE float __frsqrt_rn(float x) {
  return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x)));
}

#define TD_SIMT_CONVERSION(From, To, name, mode, function) \
  TD_SIMT_INLINE To __##name##_##mode(From x) { return function(x, td::simt::Rounding::mode); }
#define TD_SIMT_FROM(T, name, mode)                                                  \
  TD_SIMT_CONVERSION(T, int, name##2int, mode, td::simt::to_integer<int>)            \
  TD_SIMT_CONVERSION(T, unsigned, name##2uint, mode, td::simt::to_integer<unsigned>) \
  TD_SIMT_CONVERSION(T, long long, name##2ll, mode, td::simt::to_integer<long long>) \
  TD_SIMT_CONVERSION(T, unsigned long long, name##2ull, mode,                        \
                     td::simt::to_integer<unsigned long long>)
#define TD_SIMT_INTEGER(T, name, mode) \
  TD_SIMT_CONVERSION(T, float, name##2float, mode, td::simt::to_float)
#define TD_SIMT_LONG_INTEGER(T, name, mode) \
  TD_SIMT_INTEGER(T, name, mode)            \
  TD_SIMT_CONVERSION(T, double, name##2double, mode, td::simt::to_double)
#define TD_SIMT_CONVERSIONS(mode)                                           \
  TD_SIMT_FROM(float, float, mode)                                          \
  TD_SIMT_FROM(double, double, mode)                                        \
  TD_SIMT_CONVERSION(double, float, double2float, mode, td::simt::to_float) \
  TD_SIMT_INTEGER(int, int, mode)                                           \
  TD_SIMT_INTEGER(unsigned, uint, mode)                                     \
  TD_SIMT_LONG_INTEGER(long long, ll, mode)                                 \
  TD_SIMT_LONG_INTEGER(unsigned long long, ull, mode)
TD_SIMT_CONVERSIONS(rn)
TD_SIMT_CONVERSIONS(rz)
TD_SIMT_CONVERSIONS(ru)
TD_SIMT_CONVERSIONS(rd)
TD_SIMT_INLINE double __int2double_rn(int x) { return x; }
TD_SIMT_INLINE double __uint2double_rn(unsigned x) { return x; }
#undef TD_SIMT_CONVERSIONS
#undef TD_SIMT_LONG_INTEGER
#undef TD_SIMT_INTEGER
#undef TD_SIMT_FROM
#undef TD_SIMT_CONVERSION
#undef TD_SIMT_IN_MODE
#undef TD_SIMT_USUAL_ARITHMETIC
#undef TD_SIMT_ARITHMETIC
#undef TD_SIMT_ROUNDED

#define TD_SIMT_SAME_BITS(name, To, From) \
  TD_SIMT_INLINE To name(From x) { return __builtin_bit_cast(To, x); }
TD_SIMT_SAME_BITS(__float_as_int, int, float)
TD_SIMT_SAME_BITS(__float_as_uint, unsigned, float)
TD_SIMT_SAME_BITS(__int_as_float, float, int)
TD_SIMT_SAME_BITS(__uint_as_float, float, unsigned)
TD_SIMT_SAME_BITS(__double_as_longlong, long long, double)
TD_SIMT_SAME_BITS(__longlong_as_double, double, long long)
#undef TD_SIMT_SAME_BITS
TD_SIMT_INLINE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
TD_SIMT_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
TD_SIMT_INLINE double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(static_cast<long long>(std::uint64_t(hi) << 32 | std::uint32_t(lo)));
}
