// A kernel that is right but ignores how a warp accesses memory. demos.h lists it next to the
// exercise that does better.
#include "simt/kernel.h"

// Each thread computes eight elements in a row, so neighboring lanes are 32 bytes apart.
__global__ void naive_add(const float* a, const float* b, float* c, int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < first + 8 && i < n; ++i) c[i] = a[i] + b[i];
}
