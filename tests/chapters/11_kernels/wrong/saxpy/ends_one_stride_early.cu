// expect: n = 33 with 1 block of 32: index 32: expected 38, got 32
// Right where there is a thread per element. Otherwise the last elements stay as they were.
#include "kernels.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int stride = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  for (i += stride; i + stride < n; i += stride) y[i] = a * x[i] + y[i];
}
