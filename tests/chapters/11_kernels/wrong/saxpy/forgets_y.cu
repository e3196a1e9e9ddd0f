// expect: index 1: expected 16, got 15
// Right where y holds zeros: y is written without being read.
#include "kernels.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i];
}
