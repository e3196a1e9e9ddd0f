#include "kernels.h"

// answer: adds_zero
// Adds the value or 0, and the mask is a name.
namespace adds_zero {
__global__ void warp_scan(const float* in, float* out, int n) {
  constexpr unsigned all = ~0u;
  const unsigned lane = threadIdx.x & 31u, i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < unsigned(n) ? in[i] : 0.0f;
  for (unsigned delta = 1; delta != 32; delta <<= 1) {
    const float other = __shfl_sync(all, value, static_cast<int>(lane - delta));
    value += lane < delta ? 0.0f : other;
  }
  if (i < unsigned(n)) out[i] = value;
}
}  // namespace adds_zero

// answer: threads_past_the_end_return
// The others read from the lanes before them, which have not returned.
namespace threads_past_the_end_return {
__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  float sum = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += before;
  }
  if (i < n) out[i] = sum;
}
}  // namespace threads_past_the_end_return
