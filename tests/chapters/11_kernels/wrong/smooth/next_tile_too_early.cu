// expect: reads it (next_tile_too_early.cu:14): write after read
// Right where each block has one tile. Otherwise the next tile overwrites values in use.
#include "kernels.h"

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[130];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 127) s[129] = i + 1 < n ? in[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
  }
}
