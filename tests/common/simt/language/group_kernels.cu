// Cooperative groups, barriers of a grid and asynchronous copies, for group_test.cpp.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "kernels.h"

namespace cg = cooperative_groups;

__global__ void block_group(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_group any = block;
  __shared__ int values[64];
  values[block.thread_rank()] = static_cast<int>(block.thread_rank());
  block.sync();
  const int other = values[block.size() - 1 - block.thread_rank()];
  cg::sync(any);
  values[block.thread_rank()] = other + static_cast<int>(any.size());
  const auto token = block.barrier_arrive();
  block.barrier_wait(cg::thread_block::arrival_token(token));
  out[block.thread_rank()] = values[block.num_threads() - 1 - block.thread_rank()] +
                             1000 * static_cast<int>(block.group_index().x + block.dim_threads().y);
}

template <unsigned size>
__device__ void use_tile(const cg::thread_block_tile<size>& tile, int* out) {
  const int rank = static_cast<int>(tile.thread_rank());
  out[0] = cg::reduce(tile, rank, cg::plus<int>());
  out[1] = cg::reduce(tile, rank, cg::greater<int>());
  out[2] = cg::inclusive_scan(tile, rank, cg::plus<int>());
  out[3] = cg::exclusive_scan(tile, rank + 1);
  out[4] = tile.shfl(rank * rank, 1);
  out[5] = tile.shfl_up(rank, 1) + 100 * tile.shfl_down(rank, 1) + 10000 * tile.shfl_xor(rank, 1);
  out[6] = static_cast<int>(tile.ballot(rank % 2));
  out[7] = tile.any(rank == 2) + 2 * tile.all(rank < 3) + 4 * tile.all(rank < 32);
  out[8] = static_cast<int>(tile.match_any(rank / 2));
  out[9] = static_cast<int>(tile.meta_group_rank() + 100 * tile.meta_group_size());
  const float4 wide = tile.shfl(make_float4(rank, rank + 1, rank + 2, rank + 3), 0);
  out[10] = static_cast<int>(wide.x + wide.y + wide.z + wide.w);
}
/// Sums in tiles of 64 threads; then each thread reads what the last of its tile has written.
__global__ void large_tiles(int* sums, int* last) {
  __shared__ cg::block_tile_memory<192> memory;
  __shared__ int written[3];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  const int i = static_cast<int>(threadIdx.x);
  sums[i] = cg::reduce(tile, i, cg::plus<int>()) + cg::reduce(tile, i, cg::greater<int>());
  for (int round = 0; round < 3; ++round) {
    if (tile.thread_rank() == tile.size() - 1) written[tile.meta_group_rank()] = i + round;
    tile.sync();
    last[i] = written[tile.meta_group_rank()];
    tile.sync();
  }
}

__global__ void tiles(int* of_4, int* of_32) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  use_tile<4>(cg::tiled_partition<4>(warp), of_4 + 11 * threadIdx.x);
  use_tile<32>(warp, of_32 + 11 * threadIdx.x);
}

__global__ void lanes_of_branch(int* out) {
  const int lane = threadIdx.x % 32;
  if (lane % 3 == 1) {
    const cg::coalesced_group group = cg::coalesced_threads();
    int* const own = out + 7 * threadIdx.x;
    own[0] = static_cast<int>(group.size());
    own[1] = static_cast<int>(group.thread_rank());
    own[2] = cg::reduce(group, lane, cg::plus<int>());
    own[3] = group.shfl(lane, 2) + 100 * group.shfl_down(lane, 1) + 10000 * group.shfl_up(lane, 1);
    own[4] = static_cast<int>(group.ballot(lane > 15));
    own[5] = cg::inclusive_scan(group, 1);
    const auto pairs = cg::tiled_partition(group, 2);
    own[6] =
        static_cast<int>(pairs.size() + 10 * pairs.meta_group_rank() + 1000 * pairs.shfl(lane, 0));
  }
}

__global__ void partitions(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = threadIdx.x;
  const auto same = cg::labeled_partition(warp, lane % 5);
  const auto half = cg::binary_partition(warp, lane >= 8);
  const cg::thread_group eight = cg::tiled_partition(cg::this_thread_block(), 8);
  eight.sync();
  out[4 * lane] = cg::reduce(same, lane, cg::plus<int>());
  out[4 * lane + 1] = static_cast<int>(same.meta_group_rank() + 10 * same.meta_group_size());
  out[4 * lane + 2] = static_cast<int>(half.size());
  out[4 * lane + 3] = static_cast<int>(eight.thread_rank() + 10 * eight.size());
}

// One counter for the lanes of a branch, as CUDA's guide has it.
__global__ void aggregated_count(const int* in, int* count) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] > 0) {
    const auto group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(count, static_cast<int>(group.size()));
  }
}

// Each step needs what all other blocks have written in the step before.
__global__ void grid_steps(int* a, int* b, int steps) {
  const cg::grid_group grid = cg::this_grid();
  __shared__ int own_steps;
  const int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
  if (threadIdx.x == 0) own_steps = 0;
  for (int step = 0; step < steps; ++step) {
    b[i] = a[(i + 1) % n] + 1;
    if (threadIdx.x == 0) ++own_steps;
    grid.sync();  // mark: grid_sync
    int* const other = a;
    a = b;
    b = other;
  }
  if (own_steps != steps) a[i] = -1;
}
__global__ void grid_half(int* out) {
  if (blockIdx.x % 2) cg::this_grid().sync();  // mark: grid_half
  out[blockIdx.x] = cg::this_grid().is_valid();
}
__global__ void grid_race(int* a, int* out) {
  a[blockIdx.x] = 1;
  out[blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x];
}
__global__ void mixed_barriers(int* out) {
  if (threadIdx.x == 0)
    cg::this_grid().sync();
  else
    __syncthreads();  // mark: mixed_barriers
  out[threadIdx.x] = 1;
}

// Returns without waiting for its copies.
__global__ void unawaited_copies(const float* in, float* out) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
  out[threadIdx.x] = 1;
}

// Copies a tile while the last one is summed.
template <bool waits>
__global__ void double_buffer(const float* in, float* out, int tiles) {
  __shared__ float tile[2][64];
  const int i = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&tile[0][i], &in[i], sizeof(float));
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles)
      __pipeline_memcpy_async(&tile[(t + 1) % 2][i], &in[64 * (t + 1) + i], sizeof(float));
    __pipeline_commit();
    if (waits) __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[t % 2][63 - i];
    __syncthreads();
  }
  out[i] = sum;
}
template __global__ void double_buffer<true>(const float*, float*, int);
template __global__ void double_buffer<false>(const float*, float*, int);

// The thread's element of tile t, which is a batch of its own.
__device__ void start_copy(float* to, const float* in, int t, int tiles) {
  if (t < tiles) __pipeline_memcpy_async(to, &in[64 * t + threadIdx.x], sizeof(float));
  __pipeline_commit();
}
// Starts to copy the next tile where its buffer is free, or before all threads have read it.
template <bool after_barrier, int buffers>
__global__ void copy_ahead(const float* in, float* out, int tiles) {
  __shared__ float tile[buffers][64];
  const int i = threadIdx.x;
  float sum = 0;
  start_copy(&tile[0][i], in, 0, tiles);
  for (int t = 0; t < tiles; ++t) {
    float* const next = &tile[(t + 1) % buffers][i];
    __pipeline_wait_prior(0);
    if (!after_barrier) start_copy(next, in, t + 1, tiles);
    __syncthreads();
    if (after_barrier) start_copy(next, in, t + 1, tiles);
    sum += tile[t % buffers][63 - i];
  }
  out[i] = sum;
}
template __global__ void copy_ahead<true, 2>(const float*, float*, int);
template __global__ void copy_ahead<false, 2>(const float*, float*, int);
template __global__ void copy_ahead<true, 1>(const float*, float*, int);

// Has two copies in flight. The second one writes where all threads have read, or may still read.
template <bool waits>
__global__ void copy_two_ahead(const float* in, float* out, int tiles) {
  __shared__ float tile[2][64];
  const int i = threadIdx.x;
  float sum = 0;
  start_copy(&tile[0][i], in, 0, tiles);
  for (int t = 0; t < tiles; ++t) {
    start_copy(&tile[(t + 1) % 2][i], in, t + 1, tiles);
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[t % 2][63 - i];
    if (waits) __syncthreads();
  }
  out[i] = sum;
}
template __global__ void copy_two_ahead<true>(const float*, float*, int);
template __global__ void copy_two_ahead<false>(const float*, float*, int);

__global__ void pipelined(const float* in, float* out, int tiles) {
  constexpr int kStages = 2;
  __shared__ float tile[kStages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int next = 0, t = 0; t < tiles; ++t) {
    for (; next < tiles && next < t + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % kStages], in + 64 * next,
                         cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[t % kStages][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// The first warp copies, the second one sums.
__global__ void divided_pipeline(const float* in, float* out, int tiles) {
  constexpr int kStages = 2;
  __shared__ float tile[kStages][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int t = 0; t < tiles; ++t)
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[t % kStages][lane], &in[32 * t + lane], sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[t % kStages][31 - lane];
      pipe.consumer_release();
    }
  if (!produces) out[lane] = sum;
}

__global__ void group_copy(const float* in, float* out) {
  __shared__ float tile[100];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  for (int i = threadIdx.x; i < 100; i += blockDim.x) out[i] = tile[99 - i];
}

// The phases of a barrier: all warps add, the first one reads.
__global__ void barrier_phases(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int phase = 0; phase < 3; ++phase) {
    values[threadIdx.x] = phase * 100 + static_cast<int>(threadIdx.x);
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    out[64 * phase + threadIdx.x] = values[63 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

// Blocks pass data on by a flag, as in CUDA's guide for libcu++.
__global__ void passed_on(int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  count.fetch_add(2, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = *data;
    out[1] = count;
  }
}
