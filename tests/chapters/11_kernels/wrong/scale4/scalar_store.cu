// expect: 512 store requests, at most 134 are needed
// Every result is right, but the four stores of a lane are 16 bytes apart from those of the next.
#include "kernels.h"

__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    const float4 v = x4[i];
    x[head + 4 * i] = v.x * factor;
    x[head + 4 * i + 1] = v.y * factor;
    x[head + 4 * i + 2] = v.z * factor;
    x[head + 4 * i + 3] = v.w * factor;
  }
  const int tail = head + 4 * fours;
  for (int i = thread; i < head; i += threads) x[i] *= factor;
  for (int i = tail + thread; i < n; i += threads) x[i] *= factor;
}
