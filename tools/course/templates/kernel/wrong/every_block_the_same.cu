// expect: n = 1024, result 0: index 256
// TODO: a typical mistake. This one is right for a single block.
#include "kernels.h"

__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
