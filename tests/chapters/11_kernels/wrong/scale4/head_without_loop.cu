// expect: n = 10 from element 1 on: index 2: expected 3, got 1
// Right where there are at least three threads. With fewer, a thread has several single elements.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void scale4(float* x, float factor, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  int head = (16 - reinterpret_cast<std::uintptr_t>(x) % 16) % 16 / 4;
  if (head > n) head = n;
  const int fours = (n - head) / 4;
  float4* const v = reinterpret_cast<float4*>(x + head);
  for (int i = id; i < fours; i += threads) {
    float4 f = v[i];
    f.x *= factor;
    f.y *= factor;
    f.z *= factor;
    f.w *= factor;
    v[i] = f;
  }
  if (id < head) x[id] *= factor;
  for (int i = head + 4 * fours + id; i < n; i += threads) x[i] *= factor;
}
