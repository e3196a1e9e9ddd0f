// expect: 32 x 96: index 1024
// Right for square matrices: the tests at the edge of the result use the sizes of the input.
#include "kernels.h"

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];  //! The extra column moves each row to the next bank.
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  __syncthreads();
  const int out_col = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.x * 32 + ty;
    if (out_row < rows && out_col < cols) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
