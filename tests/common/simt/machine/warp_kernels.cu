#include "kernels.h"

#define FULL 0xffffffff

__global__ void shuffles(int* out) {
  const int lane = threadIdx.x % 32;
  out += 6 * threadIdx.x;
  out[0] = __shfl_sync(FULL, lane, 5);
  out[1] = __shfl_sync(FULL, lane, 9, 8);
  out[2] = __shfl_up_sync(FULL, lane, 3);
  out[3] = __shfl_down_sync(FULL, lane, 3, 16);
  out[4] = __shfl_xor_sync(FULL, lane, 1);
  out[5] = __shfl_xor_sync(FULL, lane, 8, 8);
}

__global__ void votes(unsigned* out) {
  const int lane = threadIdx.x;
  out += 7 * lane;
  out[0] = __ballot_sync(FULL, lane % 4 == 0);
  out[1] = __any_sync(FULL, lane == 31);
  out[2] = __all_sync(FULL, lane < 31);
  out[3] = __match_any_sync(FULL, lane / 16);
  int equal = 0;
  out[4] = __match_all_sync(FULL, 7, &equal);
  out[5] = equal;
  out[6] = __match_all_sync(FULL, lane, &equal) | equal;
}

__global__ void reductions(int* out) {
  const int lane = threadIdx.x;
  out += 9 * lane;
  out[0] = __reduce_add_sync(FULL, lane);
  out[1] = __reduce_min_sync(FULL, lane - 40);
  out[2] = __reduce_max_sync(FULL, lane - 40);
  out[3] = __reduce_add_sync(FULL, static_cast<unsigned>(lane));
  out[4] = __reduce_min_sync(FULL, static_cast<unsigned>(lane - 40)) >> 8;
  out[5] = __reduce_max_sync(FULL, static_cast<unsigned>(lane));
  out[6] = __reduce_and_sync(FULL, lane | 64u);
  out[7] = __reduce_or_sync(FULL, 1u << lane);
  out[8] = __reduce_xor_sync(FULL, 1u << lane / 2);
}

__global__ void warp_sum(const float* in, float* out) {
  float sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(FULL, sum, step);
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

// The lanes of both branches exchange with each other, as the programming guide shows.
__global__ void both_branches(int* out) {
  const int lane = threadIdx.x;
  if (lane % 2)
    out[lane] = __shfl_xor_sync(FULL, lane, 1);
  else
    out[lane] = __shfl_xor_sync(FULL, 100 + lane, 1);
}

// A mask may name lanes that have returned, where nothing is read from them.
__global__ void exited_lanes(int* out) {
  if (threadIdx.x >= 20) return;
  __syncwarp();
  out[threadIdx.x] = static_cast<int>(__ballot_sync(FULL, 1));
}

__global__ void not_in_mask(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffff, 1, 0);  // mark: not_in_mask
}

__global__ void absent_source(int* out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_down_sync(FULL, 1, 8);  // mark: absent_source
}

// A prefix sum of the lanes that have an element: only those that have a lane to read from add it.
__global__ void prefix_sum_of_some(int* out) {
  const bool has_element = threadIdx.x < 20;
  const unsigned mask = __ballot_sync(FULL, has_element);
  if (!has_element) return;
  int sum = 1;
  for (int step = 1; step < 32; step *= 2) {
    const int next = __shfl_down_sync(mask, sum, step);  // mark: prefix_sum_of_some
    if (threadIdx.x + step < 20) sum += next;
  }
  out[threadIdx.x] = sum;
}

__global__ void greatest_of_some(int* out) {
  const unsigned mask = __ballot_sync(FULL, threadIdx.x < 20);
  if (threadIdx.x >= 20) return;
  int greatest = -static_cast<int>(threadIdx.x);
  for (int step = 16; step; step /= 2)
    greatest = max(greatest, __shfl_down_sync(mask, greatest, step));  // mark: greatest_of_some
  if (threadIdx.x == 0) out[0] = greatest;
}

__global__ void sum_of_ended_lanes(const int* in, int* out) {
  int sum = in[threadIdx.x];  // mark: sum_of_ended_lanes
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
  if (threadIdx.x == 0) out[0] = sum;
}

__global__ void active_mask(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(__activemask(), 1, 1);  // mark: active_mask
}

__global__ void different_masks(int* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __any_sync(FULL, 1);  // mark: full_mask
  else
    out[threadIdx.x] = __any_sync(0xffff0001, 1);  // mark: other_mask
}

__global__ void bad_width(int* out) {
  out[threadIdx.x] = __shfl_sync(FULL, 1, 0, 24);  // mark: bad_width
}

__global__ void half_a_warp(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_down_sync(FULL, 1, 8);  // mark: half_a_warp
  __syncthreads();                                                        // mark: after_half_a_warp
}

__global__ void different_functions(int* out) {
  if (threadIdx.x < 16)
    __syncwarp();  // mark: sync
  else
    out[threadIdx.x] = __any_sync(FULL, 1);  // mark: vote
}

__global__ void wrong_twice(int* out) {
  if (threadIdx.x == 31) out[31] = __shfl_sync(1, 1, 0);  // mark: wrong mask
  if (threadIdx.x < 16) out[0] = __any_sync(FULL, 1);     // mark: wrong branch
  __syncthreads();
}
