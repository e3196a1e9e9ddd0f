#include "kernels.h"

// answer: butterfly_and_grid_stride
// All lanes get the sum of the row; the columns are visited from below.
namespace butterfly_and_grid_stride {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= unsigned(rows)) return;
  const float* end = in + (row + 1) * cols;
  float sum = 0;
  for (const float* at = in + row * cols + threadIdx.x; at < end; at += warpSize) sum += *at;
  for (int bit = 1; bit < 32; bit *= 2) sum += __shfl_xor_sync(~0u, sum, bit);
  if (threadIdx.x == 31) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  for (int col = threadIdx.x + blockDim.x * blockIdx.x; col < cols; col += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int row = rows - 1; row >= 0; --row) sum += in[row * cols + col];
    out[col] = sum;
  }
}
}  // namespace butterfly_and_grid_stride
