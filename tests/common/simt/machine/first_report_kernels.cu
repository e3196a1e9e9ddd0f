// A kernel whose report is the first one that reads this file's debug information, on a fiber. No
// other test may use it.
#include "kernels.h"

__global__ void checks_alone(const int* in, int* out) {
  assert(in[threadIdx.x] >= 0);  // mark: checks alone
  out[threadIdx.x] = in[threadIdx.x];
}
