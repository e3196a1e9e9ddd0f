// Mathematical functions and bit operations of CUDA that C++ lacks, or has only in namespace std.
// Included by simt/kernel.h.
//
// Invariant: the fast functions (__expf) give the results of the accurate ones, so their results
// differ from those of a GPU by its errors: for __expf(x) 2 + floor(abs(1.173 * x)) ulp.
#pragma once

// Not <cmath>: the global names, such as abs, then take float and double, as in CUDA.
#include <math.h>
#include <stdlib.h>

#include <cstdint>

#include "simt/device_calls.h"
#include "simt/vector_types.h"

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
TD_SIMT_INLINE double min(double a, double b) { return __builtin_fmin(a, b); }
TD_SIMT_INLINE double max(double a, double b) { return __builtin_fmax(a, b); }
// Signed with unsigned is unsigned, as in CUDA.
TD_SIMT_INLINE unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
TD_SIMT_INLINE unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
TD_SIMT_INLINE unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
TD_SIMT_INLINE unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }

TD_SIMT_INLINE float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
TD_SIMT_INLINE double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
TD_SIMT_INLINE float __expf(float x) { return __builtin_expf(x); }
TD_SIMT_INLINE float __exp10f(float x) { return __builtin_powf(10, x); }
TD_SIMT_INLINE float __logf(float x) { return __builtin_logf(x); }
TD_SIMT_INLINE float __log2f(float x) { return __builtin_log2f(x); }
TD_SIMT_INLINE float __log10f(float x) { return __builtin_log10f(x); }
TD_SIMT_INLINE float __sinf(float x) { return __builtin_sinf(x); }
TD_SIMT_INLINE float __cosf(float x) { return __builtin_cosf(x); }
TD_SIMT_INLINE float __tanf(float x) { return __builtin_tanf(x); }
TD_SIMT_INLINE float __powf(float x, float y) { return __builtin_powf(x, y); }
TD_SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
TD_SIMT_INLINE float __saturatef(float x) { return min(max(x, 0.0f), 1.0f); }
TD_SIMT_INLINE float __fadd_rn(float a, float b) { return a + b; }
TD_SIMT_INLINE float __fsub_rn(float a, float b) { return a - b; }
TD_SIMT_INLINE float __fmul_rn(float a, float b) { return a * b; }
TD_SIMT_INLINE float __fdiv_rn(float a, float b) { return a / b; }
TD_SIMT_INLINE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
TD_SIMT_INLINE float __frcp_rn(float x) { return 1 / x; }
TD_SIMT_INLINE float __frsqrt_rn(float x) { return rsqrtf(x); }
TD_SIMT_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

TD_SIMT_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
TD_SIMT_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TD_SIMT_INLINE int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
TD_SIMT_INLINE int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
TD_SIMT_INLINE int __ffs(int x) { return __builtin_ffs(x); }
TD_SIMT_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
TD_SIMT_INLINE unsigned __brev(unsigned x) {
  x = __builtin_bswap32(x);
  x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
  x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
  return (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
}
TD_SIMT_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
TD_SIMT_INLINE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
TD_SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}

TD_SIMT_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
TD_SIMT_INLINE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
TD_SIMT_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
TD_SIMT_INLINE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
TD_SIMT_INLINE int __float2int_rn(float x) { return static_cast<int>(__builtin_nearbyintf(x)); }
TD_SIMT_INLINE int __float2int_rd(float x) { return static_cast<int>(__builtin_floorf(x)); }
TD_SIMT_INLINE int __float2int_rz(float x) { return static_cast<int>(x); }
TD_SIMT_INLINE float __int2float_rn(int x) { return static_cast<float>(x); }

/// A load through the read-only cache. The machine has no caches, so it is a plain load.
template <class T>
TD_SIMT_INLINE T __ldg(const T* address) {
  return *address;
}
