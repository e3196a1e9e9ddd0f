// expect: reads s[128] that no thread has written since the block began
// Right where n is a multiple of 256. Otherwise unwritten elements of s are added.
#include "kernels.h"

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t] = in[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
