// expect: reads tile[8] while thread (8,0,0) writes it
// Reads elements of the tile that other warps may not have stored yet.
#include "kernels.h"

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];  //! The extra column moves each row to the next bank.
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  const int out_col = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.x * 32 + ty;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
