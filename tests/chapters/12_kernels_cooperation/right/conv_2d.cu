#include "kernels.h"

// answer: rows_of_the_tile
// Each row of threads loads rows of the tile, and its first lanes the two last columns.
namespace rows_of_the_tile {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float tile[10 * 34];
  const int left = blockIdx.x * 32 - 1, top = blockIdx.y * 8 - 1;
  for (int r = threadIdx.y; r < 10; r += blockDim.y)
    for (int c = threadIdx.x; c < 34; c += blockDim.x) {
      float value = 0;
      if (top + r >= 0 && top + r < rows && left + c >= 0 && left + c < cols)
        value = in[(top + r) * cols + left + c];
      tile[r * 34 + c] = value;
    }
  __syncthreads();
  const int row = top + 1 + threadIdx.y, col = left + 1 + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float sum = 0;
  for (int k = 8; k >= 0; --k)
    sum = fmaf(weight[k], tile[(threadIdx.y + k / 3) * 34 + threadIdx.x + k % 3], sum);
  out[row * cols + col] = sum;
}
}  // namespace rows_of_the_tile
