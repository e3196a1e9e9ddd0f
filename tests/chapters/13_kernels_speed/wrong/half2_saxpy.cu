#include "kernels.h"

// answer: last_one_left_out
// expect: n = 1: index 0: expected -8, got -2
// Right for an even n: the last element of an odd n has no thread.
namespace last_one_left_out {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hfma2(__half2half2(a), pairs[i], out[i]);
  }
}
}  // namespace last_one_left_out

// answer: pairs_rounded_up
// expect: reads x[0] to x[1], past the end of x
// Right for an even n: the last pair of an odd n has an element past the end.
namespace pairs_rounded_up {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (n + 1) / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hfma2(__half2half2(a), pairs[i], out[i]);
  }
}
}  // namespace pairs_rounded_up

// answer: all_threads_take_the_last
// expect: reads and writes y[0] while … an update that is not atomic
// Right for an even n: each thread adds to the last element.
namespace all_threads_take_the_last {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hfma2(__half2half2(a), pairs[i], out[i]);
  }
  if (n % 2 == 1) y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
}
}  // namespace all_threads_take_the_last

// answer: pairs_overlap
// expect: reads 4 bytes at x[1], byte 2 of x: not a multiple of 4
// Takes the elements i and i + 1 instead of 2 * i and 2 * i + 1.
namespace pairs_overlap {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hfma2(__half2half2(a), *reinterpret_cast<const half2*>(x + i), out[i]);
  } else if (i == n / 2 && n % 2 == 1) {
    y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
  }
}
}  // namespace pairs_overlap

// answer: rounds_twice
// expect: n = 3: index 0: expected 1, got 0
// Right where the product needs no rounding.
namespace rounds_twice {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hadd2(__hmul2(__half2half2(a), pairs[i]), out[i]);
  } else if (i == n / 2 && n % 2 == 1) {
    y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
  }
}
}  // namespace rounds_twice

// answer: two_single_halves
// expect: 64 load requests, at most 32 are needed
// Every result is right. But each thread loads and stores two single halves.
namespace two_single_halves {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int e = 2 * i; e < 2 * i + 2 && e < n; ++e) y[e] = __hfma(a, x[e], y[e]);
}
}  // namespace two_single_halves

// answer: second_half_is_the_first
// expect: n = 2: index 1: expected 13, got -8
// Right where two neighbors are equal.
namespace second_half_is_the_first {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hfma2(__half2half2(a), __low2half2(pairs[i]), out[i]);
  } else if (i == n / 2 && n % 2 == 1) {
    y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
  }
}
}  // namespace second_half_is_the_first

// answer: in_float
// expect: n = 3: index 0: expected 2050, got 2048
// Computes with fmaf and rounds the pair: right unless the float lies between two halves.
namespace in_float {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, element = 2 * i;
  if (element >= n) return;
  const float factor = __half2float(a);
  if (element == n - 1) {
    y[element] = __float2half(fmaf(factor, __half2float(x[element]), __half2float(y[element])));
    return;
  }
  const float2 left = __half22float2(*reinterpret_cast<const half2*>(&x[element]));
  half2& sum = *reinterpret_cast<half2*>(&y[element]);
  const float2 right = __half22float2(sum);
  sum = __floats2half2_rn(fmaf(factor, left.x, right.x), fmaf(factor, left.y, right.y));
}
}  // namespace in_float
