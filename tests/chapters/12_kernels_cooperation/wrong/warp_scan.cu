#include "kernels.h"

// answer: no_test_of_the_lane
// expect: expected
// Lanes without a lane d before them get their own value back, and add it.
namespace no_test_of_the_lane {
__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, d);
    sum += before;
  }
  if (i < n) out[i] = sum;
}
}  // namespace no_test_of_the_lane

// answer: shuffle_in_the_branch
// expect: in __shfl_up_sync, which does not take part
// Lanes that the mask names do not make the call.
namespace shuffle_in_the_branch {
__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    if (lane >= d) sum += __shfl_up_sync(0xffffffff, sum, d);
  }
  if (i < n) out[i] = sum;
}
}  // namespace shuffle_in_the_branch

// answer: exclusive
// expect: expected
// Leaves out the element itself.
namespace exclusive {
__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += before;
  }
  if (i < n) out[i] = sum - in[i];
}
}  // namespace exclusive

// answer: index_in_the_block
// expect: expected
// Right for blocks of 32 threads: the lane is the index in the warp.
namespace index_in_the_block {
__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += before;
  }
  if (i < n) out[i] = sum;
}
}  // namespace index_in_the_block

// answer: four_steps
// expect: expected
// After four steps, an element is the sum of 16.
namespace four_steps {
__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 16; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += before;
  }
  if (i < n) out[i] = sum;
}
}  // namespace four_steps

// answer: in_shared_memory
// expect: requests to shared memory, at most 0 are needed
// Right, but the values leave their registers.
namespace in_shared_memory {
__global__ void warp_scan(const float* in, float* out, int n) {
  __shared__ float s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  float sum = 0;
  for (int j = t / 32 * 32; j <= t; ++j) sum += s[j];
  if (i < n) out[i] = sum;
}
}  // namespace in_shared_memory

// answer: product_mask
// expect: index 5: expected inf, got …, which is not a number
// Multiplies by 0 instead of a test. Right for finite elements.
namespace product_mask {

__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) v += (lane >= d) * __shfl_up_sync(~0u, v, d);
  if (i < n) out[i] = v;
}

}  // namespace product_mask

// answer: serial_lanes
// expect: loads of `in` by a thread, at most 512 are needed
// Each lane loads and adds all elements before its own.
namespace serial_lanes {

__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  float v = 0;
  for (int k = i - lane; k <= i; ++k) v += in[k];
  out[i] = v;
}

}  // namespace serial_lanes

// answer: int_scan
// expect: n = 100 with blocks of 64
// The running sum is an int. Right for integers.
namespace int_scan {

__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int v = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    const int o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (i < n) out[i] = v;
}

}  // namespace int_scan
