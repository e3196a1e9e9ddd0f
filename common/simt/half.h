// The 16-bit float types of CUDA, on td's own: the arithmetic computes in float and rounds to
// nearest even, as a GPU does for one operation. Included by
// simt/kernel.h and launch.h.
#pragma once

#include "simt/device_calls.h"
#include "td/tensor/half.h"

// Its constructor makes a constant, so that a __shared__ variable has no guard that kernels read.
#define TD_SIMT_HALF(name, Storage, short_name)                                       \
  struct name : Storage {                                                             \
    constexpr name() : Storage() {}                                                   \
    name(float value) : Storage(value) {}                                             \
    name(double value) : Storage(static_cast<float>(value)) {}                        \
    name(int value) : Storage(static_cast<float>(value)) {}                           \
    name& operator+=(name b) { return *this = name(float(*this) + float(b)); }        \
    name& operator-=(name b) { return *this = name(float(*this) - float(b)); }        \
    name& operator*=(name b) { return *this = name(float(*this) * float(b)); }        \
    name& operator/=(name b) { return *this = name(float(*this) / float(b)); }        \
    name operator-() const { return name(-float(*this)); }                            \
  };                                                                                  \
  TD_SIMT_INLINE name operator+(name a, name b) { return name(float(a) + float(b)); } \
  TD_SIMT_INLINE name operator-(name a, name b) { return name(float(a) - float(b)); } \
  TD_SIMT_INLINE name operator*(name a, name b) { return name(float(a) * float(b)); } \
  TD_SIMT_INLINE name operator/(name a, name b) { return name(float(a) / float(b)); } \
  TD_SIMT_INLINE bool operator==(name a, name b) { return float(a) == float(b); }     \
  TD_SIMT_INLINE bool operator!=(name a, name b) { return float(a) != float(b); }     \
  TD_SIMT_INLINE bool operator<(name a, name b) { return float(a) < float(b); }       \
  TD_SIMT_INLINE bool operator>(name a, name b) { return float(a) > float(b); }       \
  TD_SIMT_INLINE bool operator<=(name a, name b) { return float(a) <= float(b); }     \
  TD_SIMT_INLINE bool operator>=(name a, name b) { return float(a) >= float(b); }     \
  TD_SIMT_INLINE name __hadd(name a, name b) { return a + b; }                        \
  TD_SIMT_INLINE name __hsub(name a, name b) { return a - b; }                        \
  TD_SIMT_INLINE name __hmul(name a, name b) { return a * b; }                        \
  TD_SIMT_INLINE name __hdiv(name a, name b) { return a / b; }                        \
  TD_SIMT_INLINE name __hneg(name a) { return -a; }                                   \
  TD_SIMT_INLINE name __hfma(name a, name b, name c) {                                \
    return name(__builtin_fmaf(float(a), float(b), float(c)));                        \
  }                                                                                   \
  TD_SIMT_INLINE bool __hlt(name a, name b) { return a < b; }                         \
  TD_SIMT_INLINE bool __hgt(name a, name b) { return a > b; }                         \
  TD_SIMT_INLINE bool __heq(name a, name b) { return a == b; }                        \
  TD_SIMT_INLINE name __hmin(name a, name b) { return b < a ? b : a; }                \
  TD_SIMT_INLINE name __hmax(name a, name b) { return b > a ? b : a; }                \
  TD_SIMT_INLINE name __float2##short_name(float value) { return name(value); }       \
  TD_SIMT_INLINE name __float2##short_name##_rn(float value) { return name(value); }  \
  TD_SIMT_INLINE float __##short_name##2float(name value) { return value; }
TD_SIMT_HALF(__half, td::Half, half)
TD_SIMT_HALF(__nv_bfloat16, td::BFloat16, bfloat16)
#undef TD_SIMT_HALF

using half = __half;
using nv_bfloat16 = __nv_bfloat16;

TD_SIMT_INLINE __half __int2half_rn(int value) { return __half(static_cast<float>(value)); }
TD_SIMT_INLINE int __half2int_rn(__half value) {
  return static_cast<int>(__builtin_nearbyintf(float(value)));
}
TD_SIMT_INLINE unsigned short __half_as_ushort(__half value) { return value.bits; }
TD_SIMT_INLINE __half __ushort_as_half(unsigned short bits) {
  __half value;
  value.bits = bits;
  return value;
}
