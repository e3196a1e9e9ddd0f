// async_matmul: exercise 13.async_matmul, declared in kernels.h.
#include <cuda_pipeline.h>

#include "kernels.h"
#include "simt/exercise.h"

__global__ void async_matmul(const float* a, const float* b, float* c, int /*m*/, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  // Starts to copy this thread's element of both tiles that begin at p = first.
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    // blank: Wait for these tiles, start the next ones if there are any, add 16 products. 4 lines.
    __pipeline_wait_prior(0);
    __syncthreads();  //! All copies have arrived, and nobody reads the other buffer any more.
    if (first + 16 < k) start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
    // end
  }
  c[row * n + col] = sum;
}
