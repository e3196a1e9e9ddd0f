#include "kernels.h"

// answer: early_return
// TODO: a right answer that is written differently from the solution. This one returns early, and
// must pass.
namespace early_return {
__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = in[i];
  out[i] = value + value;
}
}  // namespace early_return
