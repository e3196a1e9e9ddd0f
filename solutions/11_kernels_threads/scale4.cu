// scale4: exercise 11.scale4, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);  // Elements before the first multiple of 16 bytes.
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  // blank: All float4, then the single elements at the beginning and at the end. 8 lines.
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  const int tail = head + 4 * fours;
  for (int i = thread; i < head; i += threads) x[i] *= factor;
  for (int i = tail + thread; i < n; i += threads) x[i] *= factor;
  // end
}
