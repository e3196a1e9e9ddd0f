#include "kernels.h"

// answer: butterfly
// __shfl_xor_sync gives the sum to all lanes; the first lanes of the first warp add the slots.
namespace butterfly {
__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float sums[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  if (i < static_cast<unsigned>(n)) v = in[i];
  for (int mask = 1; mask < 32; mask *= 2) v += __shfl_xor_sync(~0u, v, mask);
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp != 0) return;
  v = lane < blockDim.x / 32 ? sums[lane] : 0.0f;
  for (int mask = 1; mask < 32; mask *= 2) v += __shfl_xor_sync(~0u, v, mask);
  if (lane == 0) out[blockIdx.x] = v;
}
}  // namespace butterfly
