// expect: reads in[1], past the end of in
// TODO: a typical mistake. This one is right where n is a multiple of the block size.
#include "kernels.h"

__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
  (void)n;
}
