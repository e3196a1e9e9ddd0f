// smooth: exercise 12.smooth, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void smooth(const float* in, float* out, int n) {
  // Your code here: Delete the next line, check 12.smooth, and repair the three faults.
  td::not_done_yet("smooth");
  __shared__ float s[130];  // The tile, and one element more on each side.
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0 && i > 0) s[0] = in[i - 1];
    if (t == 127 && i + 1 < n) s[129] = in[i + 1];
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
  }
}
