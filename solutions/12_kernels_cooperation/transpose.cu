// transpose: exercise 12.transpose, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  // blank: Load a tile, wait for the block, store it by rows of `out`. 12 lines.
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
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tx][ty];
  }
  // end
}
