// expect: n = 1024 with blocks of 256, result 0: index 268: expected 540, got -7e+33
// Right for one block: the distance between blocks is blockDim.x elements, not gridDim.x.
#include "kernels.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * gridDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
