#include "kernels.h"

// answer: two_sums
// Counts tiles instead of columns, fills the edges first, and adds with fmaf in two sums.
namespace two_sums {
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[16 * 16];
  __shared__ float right[16 * 16];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const int i = blockIdx.y * blockDim.y + y, j = blockIdx.x * blockDim.x + x;
  float even = 0, odd = 0;
  for (int tile = 0, tiles = (k + 15) / 16; tile < tiles; ++tile) {
    const int p = tile * 16 + x, q = tile * 16 + y;
    if (tile > 0) __syncthreads();
    left[y * 16 + x] = 0;
    right[y * 16 + x] = 0;
    if (i < m && p < k) left[y * 16 + x] = a[i * k + p];
    if (q < k && j < n) right[y * 16 + x] = b[q * n + j];
    __syncthreads();
    for (int e = 0; e < 16; e += 2) {
      even = fmaf(left[y * 16 + e], right[e * 16 + x], even);
      odd = fmaf(left[y * 16 + e + 1], right[(e + 1) * 16 + x], odd);
    }
  }
  if (i < m && j < n) c[i * n + j] = even + odd;
}
}  // namespace two_sums
