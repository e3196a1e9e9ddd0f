// Mathematical functions of CUDA that C++ lacks, or has only in namespace std. Included by
// simt/kernel.h.
//
// Invariant: the fast functions (__expf) give the results of the accurate ones, so their results
// differ from those of a GPU by its errors: for __expf(x) 2 + floor(abs(1.173 * x)) ulp.
#pragma once

// The global names, such as abs, take float and double, as in CUDA; but the global `lerp` is the
// kernel's own in C++17, so it does not get that of C++20.
#include <cmath>
namespace std {
using td_no_lerp = void;
}
#define lerp td_no_lerp
#include <math.h>
#undef lerp
#include <stdlib.h>

#include "simt/device_calls.h"

namespace td::simt {

/// Special functions (math.cpp).
///@{
double erfinv(double x);
double erfcinv(double x);
double erfcx(double x);
double cyl_bessel_i(int order, double x);
///@}
inline constexpr double kPi = 3.14159265358979323846, kRoot2 = 1.41421356237309504880;
/// sin(pi * x) and cos(pi * x), exact where x is a multiple of 1/2.
///@{
double sinpi(double x);
double cospi(double x);
///@}
template <class T>
double norm_of(int count, const T* p) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(p[i]) * static_cast<double>(p[i]);
  return __builtin_sqrt(sum);
}

}  // namespace td::simt

#define TD_SIMT_MIN_MAX(T)                                 \
  TD_SIMT_INLINE T min(T a, T b) { return b < a ? b : a; } \
  TD_SIMT_INLINE T max(T a, T b) { return a < b ? b : a; }
TD_SIMT_MIN_MAX(int)
TD_SIMT_MIN_MAX(unsigned)
TD_SIMT_MIN_MAX(long)
TD_SIMT_MIN_MAX(unsigned long)
TD_SIMT_MIN_MAX(long long)
TD_SIMT_MIN_MAX(unsigned long long)
#undef TD_SIMT_MIN_MAX
// Like fminf and fmaxf, these drop a NaN.
TD_SIMT_INLINE float min(float a, float b) { return __builtin_fminf(a, b); }
TD_SIMT_INLINE float max(float a, float b) { return __builtin_fmaxf(a, b); }
// Of two types, the result has the wider one; signed with unsigned is unsigned, as in CUDA.
#define TD_SIMT_MIN_MAX(A, B, R, least, greatest)                                        \
  TD_SIMT_INLINE R min(A a, B b) { return least(static_cast<R>(a), static_cast<R>(b)); } \
  TD_SIMT_INLINE R max(A a, B b) { return greatest(static_cast<R>(a), static_cast<R>(b)); }
#define TD_SIMT_MIXED_MIN_MAX(A, B)  \
  TD_SIMT_MIN_MAX(A, B, B, min, max) \
  TD_SIMT_MIN_MAX(B, A, B, min, max)
TD_SIMT_MIN_MAX(double, double, double, __builtin_fmin, __builtin_fmax)
TD_SIMT_MIN_MAX(float, double, double, __builtin_fmin, __builtin_fmax)
TD_SIMT_MIN_MAX(double, float, double, __builtin_fmin, __builtin_fmax)
TD_SIMT_MIXED_MIN_MAX(int, unsigned)
TD_SIMT_MIXED_MIN_MAX(long, unsigned long)
TD_SIMT_MIXED_MIN_MAX(long long, unsigned long long)
#undef TD_SIMT_MIXED_MIN_MAX
#undef TD_SIMT_MIN_MAX

/// For double, and for float with and without the f.
#define TD_SIMT_MATH(name, parameters, ...)               \
  TD_SIMT_MATH_FOR(double, name, parameters, __VA_ARGS__) \
  TD_SIMT_MATH_FOR(float, name, parameters, __VA_ARGS__)  \
  TD_SIMT_MATH_FOR(float, name##f, parameters, __VA_ARGS__)
#define TD_SIMT_MATH_FOR(type, name, parameters, ...) \
  TD_SIMT_INLINE type name parameters(type) { return static_cast<type>(__VA_ARGS__); }
#define TD_SIMT_1(T) (T x)
#define TD_SIMT_2(T) (T x, T y)
#define TD_SIMT_3(T) (T x, T y, T z)
#define TD_SIMT_4(T) (T x, T y, T z, T w)
#define TD_SIMT_P(T) (int count, const T* p)
TD_SIMT_MATH(rsqrt, TD_SIMT_1, 1 / sqrt(x))
TD_SIMT_MATH(rcbrt, TD_SIMT_1, 1 / cbrt(x))
TD_SIMT_MATH(sinpi, TD_SIMT_1, td::simt::sinpi(x))
TD_SIMT_MATH(cospi, TD_SIMT_1, td::simt::cospi(x))
TD_SIMT_MATH(erfinv, TD_SIMT_1, td::simt::erfinv(x))
TD_SIMT_MATH(erfcinv, TD_SIMT_1, td::simt::erfcinv(x))
TD_SIMT_MATH(erfcx, TD_SIMT_1, td::simt::erfcx(x))
TD_SIMT_MATH(normcdf, TD_SIMT_1, erfc(-double{x} / td::simt::kRoot2) / 2)
TD_SIMT_MATH(normcdfinv, TD_SIMT_1, -td::simt::kRoot2* td::simt::erfcinv(2 * double{x}))
TD_SIMT_MATH(cyl_bessel_i0, TD_SIMT_1, td::simt::cyl_bessel_i(0, x))
TD_SIMT_MATH(cyl_bessel_i1, TD_SIMT_1, td::simt::cyl_bessel_i(1, x))
TD_SIMT_MATH(rhypot, TD_SIMT_2, 1 / hypot(double{x}, double{y}))
TD_SIMT_MATH(norm3d, TD_SIMT_3, sqrt(double{x} * x + double{y} * y + double{z} * z))
TD_SIMT_MATH(rnorm3d, TD_SIMT_3, 1 / sqrt(double{x} * x + double{y} * y + double{z} * z))
TD_SIMT_MATH(norm4d, TD_SIMT_4, sqrt(double{x} * x + double{y} * y + double{z} * z + double{w} * w))
TD_SIMT_MATH(rnorm4d, TD_SIMT_4,
             1 / sqrt(double{x} * x + double{y} * y + double{z} * z + double{w} * w))
TD_SIMT_MATH(norm, TD_SIMT_P, td::simt::norm_of(count, p))
TD_SIMT_MATH(rnorm, TD_SIMT_P, 1 / td::simt::norm_of(count, p))
TD_SIMT_MATH_FOR(float, exp10, TD_SIMT_1, exp10f(x))
#undef TD_SIMT_P
#undef TD_SIMT_4
#undef TD_SIMT_3
#undef TD_SIMT_2
#undef TD_SIMT_1
#undef TD_SIMT_MATH_FOR
#undef TD_SIMT_MATH

#define TD_SIMT_SINE_AND_COSINE(T, name, sine, cosine)          \
  TD_SIMT_INLINE void name(T x, T* sine_of_x, T* cosine_of_x) { \
    *sine_of_x = static_cast<T>(sine(x));                       \
    *cosine_of_x = static_cast<T>(cosine(x));                   \
  }
TD_SIMT_SINE_AND_COSINE(float, sincos, sin, cos)
TD_SIMT_SINE_AND_COSINE(float, __sincosf, sin, cos)
TD_SIMT_SINE_AND_COSINE(float, sincospif, sinpi, cospi)
TD_SIMT_SINE_AND_COSINE(float, sincospi, sinpi, cospi)
TD_SIMT_SINE_AND_COSINE(double, sincospi, sinpi, cospi)
#undef TD_SIMT_SINE_AND_COSINE

TD_SIMT_INLINE float __expf(float x) { return __builtin_expf(x); }
TD_SIMT_INLINE float __exp10f(float x) { return __builtin_powf(10, x); }
TD_SIMT_INLINE float __logf(float x) { return __builtin_logf(x); }
TD_SIMT_INLINE float __log2f(float x) { return __builtin_log2f(x); }
TD_SIMT_INLINE float __log10f(float x) { return __builtin_log10f(x); }
TD_SIMT_INLINE float __sinf(float x) { return __builtin_sinf(x); }
TD_SIMT_INLINE float __cosf(float x) { return __builtin_cosf(x); }
TD_SIMT_INLINE float __tanf(float x) { return __builtin_tanf(x); }
TD_SIMT_INLINE float __tanhf(float x) { return __builtin_tanhf(x); }
TD_SIMT_INLINE float __powf(float x, float y) { return __builtin_powf(x, y); }
TD_SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
TD_SIMT_INLINE float fdividef(float a, float b) { return a / b; }
TD_SIMT_INLINE float __saturatef(float x) { return min(max(x, 0.0f), 1.0f); }
