// expect: 1790 sectors loaded from `in`, at most 704 are needed
// Every result is right. But each element is loaded three times, twice from shifted addresses.
#include "kernels.h"

__global__ void smooth(const float* in, float* out, int n) {
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + threadIdx.x;
    if (i >= n) continue;
    const float left = i > 0 ? in[i - 1] : 0.0f;
    const float right = i + 1 < n ? in[i + 1] : 0.0f;
    out[i] = (left + 2 * in[i] + right) / 4;
  }
}
