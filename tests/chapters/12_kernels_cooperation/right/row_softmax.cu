#include "kernels.h"

// answer: stores_the_exponentials
// Stores exp(x - m) in `out`, and divides it there.
namespace stores_the_exponentials {
__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float m = in[row * cols], total = 0;
  for (int c = threadIdx.x; c < cols; c += 32) m = max(m, in[row * cols + c]);
  for (int bit = 1; bit < 32; bit <<= 1) m = max(m, __shfl_xor_sync(~0u, m, bit));
  for (int c = threadIdx.x; c < cols; c += 32) {
    const float e = expf(in[row * cols + c] - m);
    out[row * cols + c] = e;
    total += e;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) total += __shfl_down_sync(~0u, total, lanes);
  const float factor = 1 / __shfl_sync(~0u, total, 0);
  for (int c = threadIdx.x; c < cols; c += 32) out[row * cols + c] *= factor;
}
}  // namespace stores_the_exponentials
