#include "kernels.h"

// answer: adds_to_the_result
// expect: this element was never written
// TODO: a typical mistake. This one is right where `out` holds zeros.
namespace adds_to_the_result {
__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += 2 * in[i];
}
}  // namespace adds_to_the_result

// answer: every_block_the_same
// expect: n = 1024, result 0: index 256
// TODO: a typical mistake. This one is right for a single block.
namespace every_block_the_same {
__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
}  // namespace every_block_the_same

// answer: no_guard
// expect: reads in[1], past the end of in
// TODO: a typical mistake. This one is right where n is a multiple of the block size.
namespace no_guard {
__global__ void EXERCISE_NAME(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
  (void)n;
}
}  // namespace no_guard
