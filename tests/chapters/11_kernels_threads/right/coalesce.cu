#include "kernels.h"

// answer: row_and_column
// Keeps a row and a column, and moves both on in each step.
namespace row_and_column {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  int r = i / cols, c = i % cols;
  while (r < rows) {
    const float2 both = *reinterpret_cast<const float2*>(scale_shift + 2 * c);
    out[r * cols + c] = both.y + both.x * in[r * cols + c];
    c += threads;
    r += c / cols;
    c %= cols;
  }
}
}  // namespace row_and_column
