// conv_1d: exercise 12.conv_1d, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  // Your code here: Load both arrays, wait, then add `width` products. 6 lines.
  td::not_done_yet("conv_1d");
}
