// saxpy: exercise 11.saxpy, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  // blank: Start at the thread's index, step by the number of threads. 2 lines.
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
  // end
}
