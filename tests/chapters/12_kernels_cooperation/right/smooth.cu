#include "kernels.h"

// answer: two_buffers
// Two tiles alternate, so that one barrier per tile is enough.
namespace two_buffers {
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[2][130];
  const int t = threadIdx.x;
  int turn = 0;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x, turn = 1 - turn) {
    const int first = tile * 128 - 1;
    for (int j = t; j < 130; j += 128) {
      const int i = first + j;
      s[turn][j] = i >= 0 && i < n ? in[i] : 0.0f;
    }
    __syncthreads();
    if (first + t + 1 < n)
      out[first + t + 1] = (s[turn][t] + 2 * s[turn][t + 1] + s[turn][t + 2]) / 4;
  }
}
}  // namespace two_buffers
