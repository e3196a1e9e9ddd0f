// roll_tile: exercise 12.roll_tile, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void roll_tile(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;  // elements of this block
  // Your code here: Store an element in s, wait for the block, read that of the next thread. 3 lines.
  td::not_done_yet("roll_tile");
}
