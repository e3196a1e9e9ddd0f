#include "kernels.h"

// answer: a_pair_of_one
// Returns early, and takes the last element of an odd n as a pair of two equal halves.
namespace a_pair_of_one {
__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  const int element = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (element >= n) return;
  const half2 factors = __halves2half2(a, a);
  if (element + 1 == n) {
    const half2 left = __half2half2(x[element]), right = __half2half2(y[element]);
    y[element] = __low2half(__hfma2(left, factors, right));
    return;
  }
  half2& sum = *reinterpret_cast<half2*>(y + element);
  sum = __hfma2(*reinterpret_cast<const half2*>(x + element), factors, sum);
}
}  // namespace a_pair_of_one
