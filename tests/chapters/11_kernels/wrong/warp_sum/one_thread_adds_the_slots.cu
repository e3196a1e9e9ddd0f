// expect: requests to shared memory, at most 640 are needed
// Every sum is right. But one thread adds the sums of all warps, one after another.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float sums[32];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  v = 0;
  if (t == 0)
    for (unsigned w = 0; w < blockDim.x / 32; ++w) v += sums[w];
  if (t == 0) out[blockIdx.x] = v;
}
