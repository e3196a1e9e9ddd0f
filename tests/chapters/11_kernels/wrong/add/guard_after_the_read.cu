// expect: TODO
// The reads of a and b come before the test; only the store is guarded.
#include "kernels.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = a[i] + b[i];
  if (i < n) c[i] = sum;
}
