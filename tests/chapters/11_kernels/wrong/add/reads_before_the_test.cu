// expect: reads a[1], past the end of a
// Right where n is a multiple of the block size. Elsewhere threads without an element read past the
// end before the test.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = a[i] + b[i];
  if (i < n) c[i] = sum;
}
