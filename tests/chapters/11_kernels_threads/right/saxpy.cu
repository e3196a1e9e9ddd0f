#include "kernels.h"

// answer: while_loop
// A while loop with an unsigned index and fmaf.
namespace while_loop {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  while (i < static_cast<unsigned>(n)) {
    y[i] = fmaf(a, x[i], y[i]);
    i += blockDim.x * gridDim.x;
  }
}
}  // namespace while_loop
