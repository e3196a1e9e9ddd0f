#include "kernels.h"

// answer: loop_over_the_tile
// Thread t loads elements t and t + 256 of the tile; the halo is not a special case.
namespace loop_over_the_tile {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float tile[258];
  const int first = static_cast<int>(blockIdx.x * blockDim.x) - 1;
  for (int j = threadIdx.x; j < 258; j += blockDim.x) {
    const int i = first + j;
    tile[j] = i >= 0 && i < n ? in[i] : -3.4e38f;
  }
  __syncthreads();
  const int i = first + 1 + threadIdx.x;
  if (i >= n) return;
  float best = tile[threadIdx.x];
  for (int j = 1; j < 3; ++j)
    if (tile[threadIdx.x + j] > best) best = tile[threadIdx.x + j];
  out[i] = best;
}
}  // namespace loop_over_the_tile
