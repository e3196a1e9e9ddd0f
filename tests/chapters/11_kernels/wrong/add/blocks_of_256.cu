// expect: n = 1000 with blocks of 96, result 0: index 96: expected
// Right for blocks of 256 threads. The launch chooses how many a block has.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
