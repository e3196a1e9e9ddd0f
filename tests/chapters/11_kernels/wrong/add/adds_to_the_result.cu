// expect: this element was never written
// Adds to c instead of writing it. Right where c holds zeros.
#include "kernels.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] += a[i] + b[i];
}
