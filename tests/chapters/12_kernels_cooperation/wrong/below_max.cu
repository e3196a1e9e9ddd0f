#include "kernels.h"

// answer: zero_for_missing_lanes
// expect: expected
// Right where n is a multiple of 32, or the last maximum is not negative.
namespace zero_for_missing_lanes {
__global__ void below_max(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < n ? in[i] : 0.0f;
  float largest = value;
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  if (i < n) out[i] = value - largest;
}
}  // namespace zero_for_missing_lanes

// answer: maximum_in_lane_0
// expect: expected
// __shfl_down_sync gives the maximum to lane 0 alone.
namespace maximum_in_lane_0 {
__global__ void below_max(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < n ? in[i] : -INFINITY;
  float largest = value;
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, step));
  if (i < n) out[i] = value - largest;
}
}  // namespace maximum_in_lane_0

// answer: threads_past_the_end_return
// expect: in __shfl_xor_sync, which does not take part
// Right where n is a multiple of 32. Otherwise lanes that the mask names have returned.
namespace threads_past_the_end_return {
__global__ void below_max(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = in[i];
  float largest = value;
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  if (i < n) out[i] = value - largest;
}
}  // namespace threads_past_the_end_return

// answer: starts_at_eight
// expect: expected
// The two halves of the warp never meet.
namespace starts_at_eight {
__global__ void below_max(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < n ? in[i] : -INFINITY;
  float largest = value;
  for (int step = 8; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  if (i < n) out[i] = value - largest;
}
}  // namespace starts_at_eight

// answer: adds_the_maximum
// expect: expected
// The largest element becomes twice itself, not 0.
namespace adds_the_maximum {
__global__ void below_max(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < n ? in[i] : -INFINITY;
  float largest = value;
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  if (i < n) out[i] = value + largest;
}
}  // namespace adds_the_maximum

// answer: maximum_of_the_block
// expect: expected
// Right for blocks of 32 threads, and with shared memory.
namespace maximum_of_the_block {
__global__ void below_max(const float* in, float* out, int n) {
  __shared__ float s[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : -INFINITY;
  __syncthreads();
  float largest = -INFINITY;
  for (int j = 0; j < blockDim.x; ++j) largest = fmaxf(largest, s[j]);
  if (i < n) out[i] = s[threadIdx.x] - largest;
}
}  // namespace maximum_of_the_block

// answer: in_shared_memory
// expect: requests to shared memory, at most 0 are needed
// Right, but the values leave their registers.
namespace in_shared_memory {
__global__ void below_max(const float* in, float* out, int n) {
  __shared__ float s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : -INFINITY;
  __syncwarp();
  float largest = -INFINITY;
  for (int lane = 0; lane < 32; ++lane) largest = fmaxf(largest, s[t / 32 * 32 + lane]);
  if (i < n) out[i] = s[t] - largest;
}
}  // namespace in_shared_memory
