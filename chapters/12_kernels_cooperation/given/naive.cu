// A kernel that is right but ignores how a warp accesses memory. demos.h lists it next to the
// exercise that does better.
#include "simt/kernel.h"

// Neighboring lanes store to neighboring rows of the result.
__global__ void naive_transpose(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
