#include "kernels.h"

// answer: barrier_in_the_branch
// expect: wait here, 128 have returned before
// The barrier is inside `if (t < half)`: half of the threads do not reach it.
namespace barrier_in_the_branch {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
      __syncthreads();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
}  // namespace barrier_in_the_branch

// answer: every_second_thread
// expect: requests to shared memory, at most 256 are needed
// Every sum is right. But the threads that add are spread over all warps, so no warp rests.
namespace every_second_thread {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
}  // namespace every_second_thread

// answer: no_barrier_after_the_load
// expect: reads s[128] while thread (128,0,0) writes it
// The first step adds elements that other warps may not have stored yet.
namespace no_barrier_after_the_load {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
}  // namespace no_barrier_after_the_load

// answer: one_atomic_sum
// expect: atomic requests to shared memory, at most 0 are needed
// Every sum is right, but all 256 additions to one word run one after another.
namespace one_atomic_sum {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float sum;
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (t == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = sum;
}
}  // namespace one_atomic_sum

// answer: one_thread_adds
// expect: requests to shared memory, at most 256 are needed
// Every sum is right, but 255 threads wait while one thread adds 256 elements.
namespace one_thread_adds {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (t > 0) return;
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += s[j];
  out[blockIdx.x] = sum;
}
}  // namespace one_thread_adds

// answer: strided_tree
// expect: 840 passes of shared memory are due to bank conflicts
// Every sum is right. But neighboring threads access every second, fourth, eighth ... word.
namespace strided_tree {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int at = 2 * step * t;
    if (at < 256) s[at] += s[at + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
}  // namespace strided_tree

// answer: threads_past_the_end_return
// expect: reads s[128] that no thread has written since the block began
// Right where n is a multiple of 256. Otherwise unwritten elements of s are added.
namespace threads_past_the_end_return {
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t] = in[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
}  // namespace threads_past_the_end_return

// answer: half_tree
// expect: n = 300 with blocks of 256: index 0
// Adds halves. Right for integers with small sums.
namespace half_tree {

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ half s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = __float2half(i < n ? in[i] : 0.0f);
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] = __hadd(s[t], s[t + step]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = __half2float(s[0]);
}

}  // namespace half_tree
