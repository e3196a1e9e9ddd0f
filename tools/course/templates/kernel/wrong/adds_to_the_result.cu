// expect: this element was never written
// TODO: a typical mistake. This one is right where `out` holds zeros.
#include "kernels.h"

__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += 2 * in[i];
}
