// expect: n = 1024 with blocks of 256, result 0: index 256: expected 509, got -7e+33
// Right for one block: all blocks compute the first elements, and the others stay as they were.
#include "kernels.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
