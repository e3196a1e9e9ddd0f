// expect: reads x[0] to x[3], past the end of x
// Right where n is a multiple of 4. Else the last float4 passes the end.
#include "kernels.h"

__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);
  const int fours = (n - head + 3) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  for (int i = thread; i < head; i += threads) x[i] *= factor;
}
