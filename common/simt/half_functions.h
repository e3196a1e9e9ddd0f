// The functions of cuda_fp16.h and cuda_bf16.h. Included by simt/kernel.h. One macro describes both
// types: H is the type, H2 the pair, h and h2 their names in functions ("half", "bfloat16").
#pragma once

#include "simt/half.h"
#include "simt/math.h"
#include "simt/rounding.h"

namespace td::simt {

/// The number of the 16-bit type that is nearest to x in the direction.
template <class H>
TD_SIMT_INLINE H to_half(double x, Rounding rounding) {
  H near(x);
  const double got = static_cast<double>(float(near));
  if (rounding == Rounding::rn || got == x || got != got) return near;
  const bool is_above = got > x, is_positive = !(near.bits & 0x8000);
  const bool goes_down = rounding == Rounding::rd || (rounding == Rounding::rz && x > 0);
  if (is_above == goes_down) near.bits += is_above == is_positive ? -1 : 1;
  return near;
}
template <class H>
TD_SIMT_INLINE H to_0_and_1(H x) {
  return float(x) > 0 ? (float(x) < 1 ? x : H(1.0f)) : H(0.0f);
}
/// The greater (or less) of two; a NaN counts as missing, or wins.
///@{
template <class H>
TD_SIMT_INLINE H greater(H a, H b) {
  return b != b || float(a) > float(b) || (float(a) == float(b) && b.bits & 0x8000) ? a : b;
}
template <class H>
TD_SIMT_INLINE H or_nan(H a, H b, H result) {
  return a != a || b != b ? H(__builtin_nanf("")) : result;
}
///@}
template <class H>
TD_SIMT_INLINE H fma_of(H a, H b, H c) {
  return H(to_odd_fma(float(a), float(b), float(c)));
}
TD_SIMT_INLINE bool is_unordered(float a, float b) { return a != a || b != b; }

}  // namespace td::simt

#define TD_SIMT_TO_INTEGER(H, h, T, name, mode)                         \
  TD_SIMT_INLINE T __##h##2##name##_##mode(H x) {                       \
    return td::simt::to_integer<T>(float(x), td::simt::Rounding::mode); \
  }
#define TD_SIMT_INTEGER(H, h, T, name, mode)                                       \
  TD_SIMT_TO_INTEGER(H, h, T, name, mode)                                          \
  TD_SIMT_INLINE H __##name##2##h##_##mode(T x) {                                  \
    return td::simt::to_half<H>(static_cast<double>(x), td::simt::Rounding::mode); \
  }
#define TD_SIMT_CONVERSIONS(H, h, mode)                                            \
  TD_SIMT_INTEGER(H, h, short, short, mode)                                        \
  TD_SIMT_INTEGER(H, h, unsigned short, ushort, mode)                              \
  TD_SIMT_INTEGER(H, h, int, int, mode)                                            \
  TD_SIMT_INTEGER(H, h, unsigned, uint, mode)                                      \
  TD_SIMT_INTEGER(H, h, long long, ll, mode)                                       \
  TD_SIMT_INTEGER(H, h, unsigned long long, ull, mode)                             \
  TD_SIMT_INLINE H __float2##h##_##mode(float x) {                                 \
    return td::simt::to_half<H>(static_cast<double>(x), td::simt::Rounding::mode); \
  }

/// An operation on two numbers, and on two pairs. `value` is made of a and b.
#define TD_SIMT_BINARY(H, H2, name, pair_name, value) \
  TD_SIMT_INLINE H name(H a, H b) { return value; }   \
  TD_SIMT_INLINE H2 pair_name(H2 a, H2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define TD_SIMT_UNARY(H, H2, name, pair_name, value) \
  TD_SIMT_INLINE H name(H a) { return value; }       \
  TD_SIMT_INLINE H2 pair_name(H2 a) { return {name(a.x), name(a.y)}; }
#define TD_SIMT_FMA(H, H2, name, pair_name, value)       \
  TD_SIMT_INLINE H name(H a, H b, H c) { return value; } \
  TD_SIMT_INLINE H2 pair_name(H2 a, H2 b, H2 c) {        \
    return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};   \
  }
/// A comparison: of two numbers, of two pairs to 1 and 0, to a mask, and of both at once.
#define TD_SIMT_COMPARISON(H, H2, name, value)                                            \
  TD_SIMT_INLINE bool __h##name(H a, H b) { return value; }                               \
  TD_SIMT_INLINE H2 __h##name##2(H2 a, H2 b) {                                            \
    return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f};        \
  }                                                                                       \
  TD_SIMT_INLINE unsigned __h##name##2_mask(H2 a, H2 b) {                                 \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
  }                                                                                       \
  TD_SIMT_INLINE bool __hb##name##2(H2 a, H2 b) {                                         \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                    \
  }
#define TD_SIMT_COMPARISONS(H, H2, name, op)                                             \
  TD_SIMT_COMPARISON(H, H2, name, float(a) op float(b) && !td::simt::is_unordered(a, b)) \
  TD_SIMT_COMPARISON(H, H2, name##u, float(a) op float(b) || td::simt::is_unordered(a, b))
#define TD_SIMT_MATH(H, H2, name, function) \
  TD_SIMT_UNARY(H, H2, h##name, h2##name, H(function(float(a))))

#define TD_SIMT_ARITHMETIC(H, H2)                                                      \
  TD_SIMT_BINARY(H, H2, __hadd, __hadd2, a + b)                                        \
  TD_SIMT_BINARY(H, H2, __hsub, __hsub2, a - b)                                        \
  TD_SIMT_BINARY(H, H2, __hmul, __hmul2, a* b)                                         \
  TD_SIMT_BINARY(H, H2, __hadd_rn, __hadd2_rn, a + b)                                  \
  TD_SIMT_BINARY(H, H2, __hsub_rn, __hsub2_rn, a - b)                                  \
  TD_SIMT_BINARY(H, H2, __hmul_rn, __hmul2_rn, a* b)                                   \
  TD_SIMT_BINARY(H, H2, __hdiv, __h2div, a / b)                                        \
  TD_SIMT_BINARY(H, H2, __hadd_sat, __hadd2_sat, td::simt::to_0_and_1(a + b))          \
  TD_SIMT_BINARY(H, H2, __hsub_sat, __hsub2_sat, td::simt::to_0_and_1(a - b))          \
  TD_SIMT_BINARY(H, H2, __hmul_sat, __hmul2_sat, td::simt::to_0_and_1(a* b))           \
  TD_SIMT_BINARY(H, H2, __hmax, __hmax2, td::simt::greater(a, b))                      \
  TD_SIMT_BINARY(H, H2, __hmin, __hmin2, -td::simt::greater(-a, -b))                   \
  TD_SIMT_BINARY(H, H2, __hmax_nan, __hmax2_nan, td::simt::or_nan(a, b, __hmax(a, b))) \
  TD_SIMT_BINARY(H, H2, __hmin_nan, __hmin2_nan, td::simt::or_nan(a, b, __hmin(a, b))) \
  TD_SIMT_FMA(H, H2, __hfma, __hfma2, td::simt::fma_of(a, b, c))                       \
  TD_SIMT_FMA(H, H2, __hfma_sat, __hfma2_sat, td::simt::to_0_and_1(__hfma(a, b, c)))   \
  TD_SIMT_FMA(H, H2, __hfma_relu, __hfma2_relu, __hmax_nan(__hfma(a, b, c), H(0.0f)))  \
  TD_SIMT_UNARY(H, H2, __hneg, __hneg2, -a)                                            \
  TD_SIMT_UNARY(H, H2, __habs, __habs2, a.bits & 0x8000 ? -a : a)                      \
  TD_SIMT_COMPARISON(H, H2, eq, a == b)                                                \
  TD_SIMT_COMPARISON(H, H2, equ, a == b || td::simt::is_unordered(a, b))               \
  TD_SIMT_COMPARISONS(H, H2, ne, !=)                                                   \
  TD_SIMT_COMPARISONS(H, H2, lt, <)                                                    \
  TD_SIMT_COMPARISONS(H, H2, le, <=)                                                   \
  TD_SIMT_COMPARISONS(H, H2, gt, >)                                                    \
  TD_SIMT_COMPARISONS(H, H2, ge, >=)                                                   \
  TD_SIMT_INLINE bool __hisnan(H a) { return a != a; }                                 \
  TD_SIMT_INLINE H2 __hisnan2(H2 a) {                                                  \
    return {__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f};                 \
  }                                                                                    \
  TD_SIMT_INLINE int __hisinf(H a) {                                                   \
    return __builtin_isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0;                    \
  }                                                                                    \
  TD_SIMT_MATH(H, H2, sqrt, sqrtf)                                                     \
  TD_SIMT_MATH(H, H2, rsqrt, 1 / sqrtf)                                                \
  TD_SIMT_MATH(H, H2, rcp, 1 / float)                                                  \
  TD_SIMT_MATH(H, H2, exp, expf)                                                       \
  TD_SIMT_MATH(H, H2, exp2, exp2f)                                                     \
  TD_SIMT_MATH(H, H2, exp10, exp10f)                                                   \
  TD_SIMT_MATH(H, H2, log, logf)                                                       \
  TD_SIMT_MATH(H, H2, log2, log2f)                                                     \
  TD_SIMT_MATH(H, H2, log10, log10f)                                                   \
  TD_SIMT_MATH(H, H2, sin, sinf)                                                       \
  TD_SIMT_MATH(H, H2, cos, cosf)                                                       \
  TD_SIMT_MATH(H, H2, tanh, tanhf)                                                     \
  TD_SIMT_MATH(H, H2, tanh_approx, tanhf)                                              \
  TD_SIMT_MATH(H, H2, ceil, ceilf)                                                     \
  TD_SIMT_MATH(H, H2, floor, floorf)                                                   \
  TD_SIMT_MATH(H, H2, trunc, truncf)                                                   \
  TD_SIMT_MATH(H, H2, rint, nearbyintf)                                                \
  TD_SIMT_INLINE float __low2float(H2 a) { return a.x; }                               \
  TD_SIMT_INLINE float __high2float(H2 a) { return a.y; }                              \
  TD_SIMT_INLINE H2 __lowhigh2highlow(H2 a) { return {a.y, a.x}; }

#define TD_SIMT_FUNCTIONS(H, H2, h, h2)                                             \
  TD_SIMT_CONVERSIONS(H, h, rn)                                                     \
  TD_SIMT_CONVERSIONS(H, h, rz)                                                     \
  TD_SIMT_CONVERSIONS(H, h, ru)                                                     \
  TD_SIMT_CONVERSIONS(H, h, rd)                                                     \
  TD_SIMT_TO_INTEGER(H, h, signed char, char, rz)                                   \
  TD_SIMT_TO_INTEGER(H, h, unsigned char, uchar, rz)                                \
  TD_SIMT_INLINE H __float2##h(float x) { return H(x); }                            \
  TD_SIMT_INLINE H __double2##h(double x) { return H(x); }                          \
  TD_SIMT_INLINE float __##h##2float(H x) { return x; }                             \
  TD_SIMT_INLINE short __##h##_as_short(H x) { return static_cast<short>(x.bits); } \
  TD_SIMT_INLINE unsigned short __##h##_as_ushort(H x) { return x.bits; }           \
  TD_SIMT_INLINE H __ushort_as_##h(unsigned short bits) { return H##_raw{bits}; }   \
  TD_SIMT_INLINE H __short_as_##h(short bits) {                                     \
    return __ushort_as_##h(static_cast<unsigned short>(bits));                      \
  }                                                                                 \
  TD_SIMT_INLINE H2 __halves2##h2(H x, H y) { return {x, y}; }                      \
  TD_SIMT_INLINE H2 make_##h2(H x, H y) { return {x, y}; }                          \
  TD_SIMT_INLINE H2 __##h##2##h2(H x) { return {x, x}; }                            \
  TD_SIMT_INLINE H __low2##h(H2 a) { return a.x; }                                  \
  TD_SIMT_INLINE H __high2##h(H2 a) { return a.y; }                                 \
  TD_SIMT_INLINE H2 __low2##h2(H2 a) { return {a.x, a.x}; }                         \
  TD_SIMT_INLINE H2 __high2##h2(H2 a) { return {a.y, a.y}; }                        \
  TD_SIMT_INLINE H2 __lows2##h2(H2 a, H2 b) { return {a.x, b.x}; }                  \
  TD_SIMT_INLINE H2 __highs2##h2(H2 a, H2 b) { return {a.y, b.y}; }                 \
  TD_SIMT_INLINE H2 __float2##h2##_rn(float x) { return {x, x}; }                   \
  TD_SIMT_INLINE H2 __floats2##h2##_rn(float x, float y) { return {x, y}; }         \
  TD_SIMT_INLINE H2 __float22##h2##_rn(float2 a) { return {a.x, a.y}; }             \
  TD_SIMT_INLINE float2 __##h2##2float2(H2 a) { return make_float2(a.x, a.y); }     \
  TD_SIMT_ARITHMETIC(H, H2)
TD_SIMT_FUNCTIONS(__half, __half2, half, half2)
TD_SIMT_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
#undef TD_SIMT_FUNCTIONS
#undef TD_SIMT_ARITHMETIC
#undef TD_SIMT_MATH
#undef TD_SIMT_COMPARISONS
#undef TD_SIMT_COMPARISON
#undef TD_SIMT_FMA
#undef TD_SIMT_UNARY
#undef TD_SIMT_BINARY
#undef TD_SIMT_CONVERSIONS
#undef TD_SIMT_INTEGER
#undef TD_SIMT_TO_INTEGER
