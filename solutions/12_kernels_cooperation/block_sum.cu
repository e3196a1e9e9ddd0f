// block_sum: exercise 12.block_sum, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  // blank: Put an element or 0 into s, wait, then the tree. 7 lines.
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
  // end
}
