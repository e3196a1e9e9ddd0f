// expect: reads tile_a[2] that no thread has written since the block began
// Right for multiples of 16. Otherwise the sums include elements that no thread has written.
#include "kernels.h"

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    if (row < m && first + tx < k) tile_a[ty][tx] = a[row * k + first + tx];
    if (first + ty < k && col < n) tile_b[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
