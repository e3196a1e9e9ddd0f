#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "kernels.h"

namespace cg = cooperative_groups;

// answer: shuffles_of_the_group
// The group's own shuffles, and the last thread stores.
namespace shuffles_of_the_group {
__global__ void group_sum(const float* in, float* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
  const unsigned i = block.group_index().x * block.size() + block.thread_rank();
  float value = i < unsigned(n) ? in[i] : 0.0f;
  for (unsigned step = eight.size() / 2; step > 0; step /= 2) value += eight.shfl_xor(value, step);
  if (eight.thread_rank() == 7 && i - 7 < unsigned(n)) out[i / 8] = value;
}
}  // namespace shuffles_of_the_group

// answer: shuffles_of_eight_lanes
// Without cooperative groups: the fourth argument of a shuffle.
namespace shuffles_of_eight_lanes {
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  float sum = i < n ? in[i] : 0.0f;
  for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(mask, sum, step, 8);
  if (threadIdx.x % 8 == 0 && i < n) out[i / 8] = sum;
}
}  // namespace shuffles_of_eight_lanes
