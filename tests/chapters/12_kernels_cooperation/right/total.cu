#include "kernels.h"

// answer: warps_add
// Shuffles add up each warp, and its first lane adds to a sum of the block.
namespace warps_add {
__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[8];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float value = 0;
  if (i < unsigned(n)) value = in[i];
  for (int lanes = 16; lanes > 0; lanes >>= 1) value += __shfl_xor_sync(~0u, value, lanes);
  if (t % 32 == 0) s[t / 32] = value;
  __syncthreads();
  if (t != 0) return;
  for (int warp = 1; warp < 8; ++warp) value += s[warp];
  atomicAdd(out, value);
}
}  // namespace warps_add
