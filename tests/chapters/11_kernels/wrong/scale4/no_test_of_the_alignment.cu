// expect: : not a multiple of 16
// Right where x begins at a multiple of 16 bytes. A view of a tensor may begin elsewhere.
#include "kernels.h"

__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int head = 0;
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  const int tail = head + 4 * fours;
  for (int i = thread; i < head; i += threads) x[i] *= factor;
  for (int i = tail + thread; i < n; i += threads) x[i] *= factor;
}
