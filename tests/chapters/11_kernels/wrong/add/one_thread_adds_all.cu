// expect: requests to global memory, at most 6144 are needed
// Every sum is right. But one thread adds all elements while the others have nothing to do.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    for (int j = 0; j < n; ++j) c[j] = a[j] + b[j];
}
