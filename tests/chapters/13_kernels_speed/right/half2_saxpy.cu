#include "kernels.h"

// answer: in_float
// Converts a pair to two floats, computes with fmaf, and rounds the pair.
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
