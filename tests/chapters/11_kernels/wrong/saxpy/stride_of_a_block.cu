// expect: reads and writes y[128] while thread (0,0,0) of block (0,0,0) does the same
// Right for one block. With several blocks, elements are computed more than once.
#include "kernels.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
    y[i] = a * x[i] + y[i];
}
