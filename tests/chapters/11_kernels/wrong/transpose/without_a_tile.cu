// expect: 21504 excessive sectors of global memory, 78 % of all
// Every result is right. But the lanes of a warp store to 32 different rows of `out`.
#include "kernels.h"

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
