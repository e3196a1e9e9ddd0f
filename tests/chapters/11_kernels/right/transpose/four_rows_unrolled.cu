// The four rows of a thread without a loop over rows; tests the edge once per row.
#include "kernels.h"

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32 * 33];
  const int x = threadIdx.x, y = threadIdx.y;
  const int top = blockIdx.y * 32, left = blockIdx.x * 32;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int r = y + 8 * k;
    if (top + r < rows && left + x < cols) tile[33 * r + x] = in[(top + r) * cols + left + x];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int c = y + 8 * k;
    if (left + c < cols && top + x < rows) out[(left + c) * rows + top + x] = tile[33 * x + c];
  }
}
