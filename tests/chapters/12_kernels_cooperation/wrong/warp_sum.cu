#include "kernels.h"

#include "simt/exercise.h"

// answer: all_32_slots
// expect: reads slots[1] that no thread has written since the block began
// Right for blocks of 1,024 threads. Smaller blocks have fewer warps than slots.
namespace all_32_slots {
__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  const float sum = sum_of_warp(i < n ? in[i] : 0.0f);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(slots[t]);
    if (t == 0) out[blockIdx.x] = total;
  }
}
}  // namespace all_32_slots

// answer: first_slot_only
// expect: n = 128 with blocks of 64: index 0: expected 3, got -2
// Right for one warp: the sums of the other warps are left out.
namespace first_slot_only {
__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;  // In lane 0; the other lanes have partial sums.
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  const float sum = sum_of_warp(i < n ? in[i] : 0.0f);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < 1 ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
}  // namespace first_slot_only

// answer: mask_of_the_active_lanes
// expect: reads from lane 16 in __shfl_down_sync, which does not take part
// The mask is true, but lanes at the end read from lanes that it does not name.
namespace mask_of_the_active_lanes {
__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  float sum = 0;
  if (i < n) {
    const unsigned mask = __activemask();
    sum = in[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(mask, sum, step);
  }
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
}  // namespace mask_of_the_active_lanes

// answer: no_barrier
// expect: reads slots[1] while thread (32,0,0) writes it
// The first warp reads the slots of warps that may not have stored theirs.
namespace no_barrier {
__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  const float sum = sum_of_warp(i < n ? in[i] : 0.0f);
  if (t % 32 == 0) slots[t / 32] = sum;
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
}  // namespace no_barrier

// answer: one_thread_adds_the_slots
// expect: requests to shared memory, at most 640 are needed
// Every sum is right. But one thread adds the sums of all warps, one after another.
namespace one_thread_adds_the_slots {
__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float sums[32];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  v = 0;
  if (t == 0)
    for (unsigned w = 0; w < blockDim.x / 32; ++w) v += sums[w];
  if (t == 0) out[blockIdx.x] = v;
}
}  // namespace one_thread_adds_the_slots

// answer: shuffle_in_the_branch
// expect: in __shfl_down_sync with mask 0xffffffff for lanes 1-31
// Right where n is a multiple of 32. Else lanes that the mask names do not make the call.
namespace shuffle_in_the_branch {
__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  float sum = 0;
  if (i < n) sum = sum_of_warp(in[i]);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
}  // namespace shuffle_in_the_branch

// answer: starts_at_eight
// expect: n = 64 with blocks of 32: index 0: expected -2, got 5
// Begins with a distance of 8: only 16 lanes are added.
namespace starts_at_eight {
__device__ float sum_of_warp(float value) {
  for (int step = 8; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;  // In lane 0; the other lanes have partial sums.
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  const float sum = sum_of_warp(i < n ? in[i] : 0.0f);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
}  // namespace starts_at_eight

// answer: int_reduce
// expect: n = 300 with blocks of 96: index 0
// __reduce_add_sync adds ints only. Right for integers.
namespace int_reduce {

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  int v = __reduce_add_sync(~0u, (int)(i < n ? in[i] : 0.0f));
  if (t % 32 == 0) slots[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = __reduce_add_sync(~0u, (int)(t < warps ? slots[t] : 0.0f));
    if (t == 0) out[blockIdx.x] = v;
  }
}

}  // namespace int_reduce

// answer: atomic_to_out
// expect: atomic operations on `out`, at most 0 are needed
// The warps add to global memory instead of shared memory.
namespace atomic_to_out {

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (t == 0) out[blockIdx.x] = 0;
  __syncthreads();
  if (t % 32 == 0) atomicAdd(&out[blockIdx.x], v);
}

}  // namespace atomic_to_out
