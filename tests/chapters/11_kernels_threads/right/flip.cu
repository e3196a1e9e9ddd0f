#include "kernels.h"

// answer: early_return
// Returns early, counts in 64 bits, and walks through the row by a pointer to its end.
namespace early_return {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const long long row = static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const unsigned column = blockDim.x * blockIdx.x + threadIdx.x;
  if (column >= static_cast<unsigned>(cols)) return;
  const float* const end = in + (row + 1) * cols;
  (out + row * cols)[column] = *(end - 1 - column);
}
}  // namespace early_return

// answer: scatter
// Thread c reads column c, and writes it to the other side.
namespace scatter {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= cols || y >= rows) return;
  out[y * cols + cols - 1 - x] = in[y * cols + x];
}
}  // namespace scatter
