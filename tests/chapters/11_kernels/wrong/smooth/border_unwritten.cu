// expect: reads s[0] that no thread has written since the block began
// The elements outside of `in` count as 0, but no thread has stored these zeros.
#include "kernels.h"

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[130];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0 && i > 0) s[0] = in[i - 1];
    if (t == 127 && i + 1 < n) s[129] = in[i + 1];
    __syncthreads();
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
    __syncthreads();
  }
}
