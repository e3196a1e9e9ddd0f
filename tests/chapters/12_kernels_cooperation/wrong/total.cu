#include "kernels.h"

// answer: barrier_in_the_branch
// expect: wait here, 128 have returned before
// The first fault is still there: threads that do not add never reach the barrier.
namespace barrier_in_the_branch {
__global__ void total(const float* in, float* out, int n) {
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
  if (t == 0) atomicAdd(out, s[0]);
}
}  // namespace barrier_in_the_branch

// answer: sum_without_atomic
// expect: out[0]
// Right for one block. Two blocks read out[0], and one of the two sums is lost.
namespace sum_without_atomic {
__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[0] += s[0];
}
}  // namespace sum_without_atomic

// answer: strided_tree
// expect: passes of shared memory are due to bank conflicts
// Every sum is right. But neighboring threads access every second, fourth, eighth ... word.
namespace strided_tree {
__global__ void total(const float* in, float* out, int n) {
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
  if (t == 0) atomicAdd(out, s[0]);
}
}  // namespace strided_tree

// answer: no_barrier_in_the_tree
// expect: … while thread
// The barrier is gone instead of moved: a warp reads sums that another one has not stored yet.
namespace no_barrier_in_the_tree {
__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) atomicAdd(out, s[0]);
}
}  // namespace no_barrier_in_the_tree

// answer: atomic_per_thread
// expect: atomic operations on `out`, at most 8 are needed
// Every sum is right, but all threads of the grid wait for one word.
namespace atomic_per_thread {
__global__ void total(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
}  // namespace atomic_per_thread

// answer: atomics_in_shared_memory
// expect: atomic requests to shared memory, at most 0 are needed
// Every sum is right, but there is no tree: 256 additions to one word run one after another.
namespace atomics_in_shared_memory {
__global__ void total(const float* in, float* out, int n) {
  __shared__ float s;
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (t == 0) s = 0;
  __syncthreads();
  if (i < n) atomicAdd(&s, in[i]);
  __syncthreads();
  if (t == 0) atomicAdd(out, s);
}
}  // namespace atomics_in_shared_memory

// answer: one_thread_adds
// expect: requests to shared memory, at most 512 are needed
// Every sum is right, but 255 threads wait while one thread adds 256 elements.
namespace one_thread_adds {
__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (t > 0) return;
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += s[j];
  atomicAdd(out, sum);
}
}  // namespace one_thread_adds

// answer: two_barriers_per_step
// expect: 17 barriers per thread, at most 9 are needed
// Every sum is right, but each step waits twice.
namespace two_barriers_per_step {
__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}
}  // namespace two_barriers_per_step

// answer: int_tree
// expect: n = 300: index 0
// Shared memory holds ints. Right for integers.
namespace int_tree {

__global__ void total(const float* in, float* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}

}  // namespace int_tree

// answer: grid_stride
// expect: loads of `in` by a thread, at most 2048 are needed
// Each block adds up all elements, and one of them stores the sum.
namespace grid_stride {

__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  float mine = 0;
  for (int k = i; k < n; k += 256) mine += in[k];
  s[t] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0 && blockIdx.x == 0) atomicAdd(out, s[0]);
}

}  // namespace grid_stride
