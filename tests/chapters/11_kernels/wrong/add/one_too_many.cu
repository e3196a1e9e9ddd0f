// expect: reads a[1], past the end of a
// The last element has index n - 1. Right where n is a multiple of the block size.
#include "kernels.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) c[i] = a[i] + b[i];
}
