// transpose: exercise 12.transpose, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  // Your code here: Wait, store the tile by rows of `out`, and cure the bank conflicts. 7 lines.
  td::not_done_yet("transpose");
}
