// expect: 86016 excessive sectors of global memory, 88 % of all
// Every result is right. But neighboring threads access elements that are a whole chunk apart.
#include "kernels.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int threads = gridDim.x * blockDim.x;
  const int chunk = (n + threads - 1) / threads;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = first; i < first + chunk && i < n; ++i) y[i] = a * x[i] + y[i];
}
