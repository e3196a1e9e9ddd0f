// expect: reads and writes y[0] while thread (0,0,0) of block (0,0,0) does the same
// Every block begins at its own thread index, so all blocks compute the same elements.
#include "kernels.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}
