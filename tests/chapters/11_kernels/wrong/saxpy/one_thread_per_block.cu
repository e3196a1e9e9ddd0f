// expect: requests to global memory, at most 3072 are needed
// Every result is right. But only one thread of each block works.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  if (threadIdx.x == 0)
    for (int i = blockIdx.x; i < n; i += gridDim.x) y[i] = a * x[i] + y[i];
}
