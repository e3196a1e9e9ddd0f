#include "kernels.h"

// answer: four_rows_unrolled
// The four rows of a thread without a loop over rows; tests the edge once per row.
namespace four_rows_unrolled {
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
}  // namespace four_rows_unrolled

// answer: swizzle
// No padding: column c of row r is stored in column c ^ r, so that columns cross all banks.
namespace swizzle {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const unsigned tx = threadIdx.x;
  for (unsigned ty = threadIdx.y; ty < 32; ty += blockDim.y) {
    const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    if (row < rows && col < cols) tile[ty * 32 + (tx ^ ty)] = in[row * cols + col];
  }
  __syncthreads();
  for (unsigned ty = threadIdx.y; ty < 32; ty += blockDim.y) {
    const int row = blockIdx.x * 32 + ty, col = blockIdx.y * 32 + tx;
    if (row < cols && col < rows) out[row * rows + col] = tile[tx * 32 + (tx ^ ty)];
  }
}
}  // namespace swizzle
