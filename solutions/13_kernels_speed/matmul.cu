// matmul: exercise 13.matmul, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    // blank: Load one element of each tile, wait, add 16 products, wait. 5 lines.
    tile_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
    // end
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
