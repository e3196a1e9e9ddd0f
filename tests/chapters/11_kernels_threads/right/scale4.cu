#include "kernels.h"

// answer: head_by_shift
// Finds the beginning from the address in words, and lets one warp do the single elements.
namespace head_by_shift {
__global__ void scale4(float* x, float factor, int n) {
  const unsigned long long word = reinterpret_cast<unsigned long long>(x) / sizeof(float);
  int begin = static_cast<int>((0 - word) & 3);
  if (begin > n) begin = n;
  const int end = begin + (n - begin) / 4 * 4;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int at = begin + 4 * i; at < end; at += 4 * gridDim.x * blockDim.x) {
    float4* p = reinterpret_cast<float4*>(x + at);
    const float4 v = *p;
    *p = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
  }
  if (i != 0) return;
  for (int at = 0; at < begin; ++at) x[at] = x[at] * factor;
  for (int at = end; at < n; ++at) x[at] = x[at] * factor;
}
}  // namespace head_by_shift
