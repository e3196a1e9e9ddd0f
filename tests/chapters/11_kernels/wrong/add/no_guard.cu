// expect: reads a[1], past the end of a
// Right where n is a multiple of the block size. Elsewhere the last block reads and writes past the
// end.
#include "kernels.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
  (void)n;
}
