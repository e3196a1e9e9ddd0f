// block_sum: exercise 12.block_sum, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  // Your code here: Put an element or 0 into s, wait, then the tree. 7 lines.
  td::not_done_yet("block_sum");
}
