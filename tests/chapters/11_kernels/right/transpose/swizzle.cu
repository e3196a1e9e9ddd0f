// No padding: column c of row r is stored in column c ^ r, so that columns cross all banks.
#include "kernels.h"

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
