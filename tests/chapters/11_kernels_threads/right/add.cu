#include "kernels.h"

// answer: early_return
// Returns early, and counts in 64 bits.
namespace early_return {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = a[i], right = b[i];
  c[i] = left + right;
}
}  // namespace early_return
