#include "kernels.h"

// answer: tile_then_halo
// Each thread loads its element, and the first threads those of the halo.
namespace tile_then_halo {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float tile[160];
  __shared__ float weights[32];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0;
  if (t < 32) tile[128 + t] = i + 128 < n ? in[i + 128] : 0;
  if (t >= 96 && t < 96 + width) weights[t - 96] = weight[t - 96];
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = width - 1; k >= 0; --k) sum = fmaf(weights[k], tile[t + k], sum);
  out[i] = sum;
}
}  // namespace tile_then_halo
