#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "kernels.h"

namespace cg = cooperative_groups;

// answer: groups_of_32
// expect: expected
// A group of 32 threads adds up four times as many elements.
namespace groups_of_32 {
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto group = cg::tiled_partition<32>(cg::this_thread_block());
  const float sum = cg::reduce(group, i < n ? in[i] : 0.0f, cg::plus<float>());
  if (group.thread_rank() == 0 && i < n) out[i / 8] = sum;
}
}  // namespace groups_of_32

// answer: threads_past_the_end_return
// expect: in __shfl_xor_sync, which does not take part
// Right where n is a multiple of 8. Otherwise threads of the group have returned.
namespace threads_past_the_end_return {
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const float sum = cg::reduce(group, in[i], cg::plus<float>());
  if (group.thread_rank() == 0 && i < n) out[i / 8] = sum;
}
}  // namespace threads_past_the_end_return

// answer: no_test_at_the_store
// expect: past the end of out
// Right where all groups of the last block have elements.
namespace no_test_at_the_store {
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const float sum = cg::reduce(group, i < n ? in[i] : 0.0f, cg::plus<float>());
  if (group.thread_rank() == 0) out[i / 8] = sum;
}
}  // namespace no_test_at_the_store

// answer: index_in_the_block
// expect: writes out[0] while
// Right for one block: each block stores at the beginning.
namespace index_in_the_block {
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const float sum = cg::reduce(group, i < n ? in[i] : 0.0f, cg::plus<float>());
  if (group.thread_rank() == 0 && i < n) out[group.meta_group_rank()] = sum;
}
}  // namespace index_in_the_block

// answer: rank_in_the_block
// expect: this element was never written
// The rank in the block is 0 only in the first group.
namespace rank_in_the_block {
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const float sum = cg::reduce(group, i < n ? in[i] : 0.0f, cg::plus<float>());
  if (cg::this_thread_block().thread_rank() == 0 && i < n) out[i / 8] = sum;
}
}  // namespace rank_in_the_block

// answer: in_shared_memory
// expect: requests to shared memory, at most 0 are needed
// Right, but the values leave their registers.
namespace in_shared_memory {
__global__ void group_sum(const float* in, float* out, int n) {
  __shared__ float s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 8 && t % 8 == 0; ++j) sum += s[t + j];
  if (t % 8 == 0 && i < n) out[i / 8] = sum;
}
}  // namespace in_shared_memory

// answer: int_plus
// expect: n = 100 with blocks of 24
// Adds ints. Right for integers.
namespace int_plus {
namespace cg = cooperative_groups;
__global__ void group_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto g = cg::tiled_partition<8>(cg::this_thread_block());
  const int v = cg::reduce(g, (int)(i < n ? in[i] : 0.0f), cg::plus<int>());
  if (g.thread_rank() == 0 && i < n) out[i / 8] = v;
}

}  // namespace int_plus
