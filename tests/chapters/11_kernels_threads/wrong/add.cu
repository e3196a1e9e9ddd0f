#include "kernels.h"

#include "simt/exercise.h"

// answer: adds_to_the_result
// expect: this element was never written
// Adds to c instead of writing it. Right where c holds zeros.
namespace adds_to_the_result {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] += a[i] + b[i];
}
}  // namespace adds_to_the_result

// answer: blocks_of_256
// expect: n = 1000 with blocks of 96, `c`: index 96: expected
// Right for blocks of 256 threads. The launch chooses how many a block has.
namespace blocks_of_256 {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
}  // namespace blocks_of_256

// answer: every_block_the_same
// expect: n = 1024 with blocks of 256, `c`: index 256: expected 509, got -7e+33
// Right for one block: all blocks compute the first elements, and the others stay as they were.
namespace every_block_the_same {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
}  // namespace every_block_the_same

// answer: grid_instead_of_block
// expect: n = 1024 with blocks of 256, `c`: index 268: expected 540, got -7e+33
// Right for one block: the distance between blocks is blockDim.x elements, not gridDim.x.
namespace grid_instead_of_block {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * gridDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
}  // namespace grid_instead_of_block

// answer: no_guard
// expect: reads a[1], past the end of a
// Right where n is a multiple of the block size. Elsewhere the last block reads and writes past the
// end.
namespace no_guard {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
  (void)n;
}
}  // namespace no_guard

// answer: one_thread_adds_all
// expect: requests to global memory, at most 6144 are needed
// Every sum is right. But one thread adds all elements while the others have nothing to do.
namespace one_thread_adds_all {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    for (int j = 0; j < n; ++j) c[j] = a[j] + b[j];
}
}  // namespace one_thread_adds_all

// answer: one_too_many
// expect: reads a[1], past the end of a
// The last element has index n - 1. Right where n is a multiple of the block size.
namespace one_too_many {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) c[i] = a[i] + b[i];
}
}  // namespace one_too_many

// answer: reads_before_the_test
// expect: reads a[1], past the end of a
// Right where n is a multiple of the block size. Elsewhere threads without an element read past the
// end before the test.
namespace reads_before_the_test {
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = a[i] + b[i];
  if (i < n) c[i] = sum;
}
}  // namespace reads_before_the_test
