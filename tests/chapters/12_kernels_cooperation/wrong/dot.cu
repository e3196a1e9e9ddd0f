#include "kernels.h"

// answer: assigns_the_sum
// expect: writes out[0] while
// Right for one block. Otherwise the last block overwrites the sums of the others.
namespace assigns_the_sum {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * 256;
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += threads) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[0] = sum;
}
}  // namespace assigns_the_sum

// answer: atomic_per_thread
// expect: atomic operations on `out`, at most 8 are needed
// Right, but all threads of the grid wait for one word.
namespace atomic_per_thread {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * 256;
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += threads) sum += a[i] * b[i];
  atomicAdd(out, sum);
}
}  // namespace atomic_per_thread

// answer: a_chunk_per_thread
// expect: excessive sectors of global memory
// Right, but neighboring threads load elements that are a chunk apart.
namespace a_chunk_per_thread {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * 256;
  float sum = 0;
  const int chunk = (n + threads - 1) / threads, begin = (blockIdx.x * 256 + threadIdx.x) * chunk;
  for (int i = begin; i < begin + chunk && i < n; ++i) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
}  // namespace a_chunk_per_thread

// answer: one_element_per_thread
// expect: expected
// Right where the grid has a thread for each element.
namespace one_element_per_thread {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * 256;
  float sum = 0;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) sum = a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
}  // namespace one_element_per_thread

// answer: adds_without_atomic
// expect: out[0]
// Right for one block. Two blocks read out[0], and one of the two sums is lost.
namespace adds_without_atomic {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * 256;
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += threads) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[0] += sum;
}
}  // namespace adds_without_atomic

// answer: each_block_adds_everything
// expect: expected
// Right for one block: the loop begins at the index in the block.
namespace each_block_adds_everything {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
}  // namespace each_block_adds_everything

// answer: first_block_adds_everything
// expect: reads none of the 1000 elements of `a`
// Right, but the other blocks have nothing to do.
namespace first_block_adds_everything {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n && blockIdx.x == 0; i += 256) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
}  // namespace first_block_adds_everything

// answer: threads_without_elements_return
// expect: that no thread has written since the block began
// Right where each thread has an element. The others miss the barriers of sum_of_block.
namespace threads_without_elements_return {
// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * 256;
  if (blockIdx.x * 256 + threadIdx.x >= n) return;
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += threads) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
}  // namespace threads_without_elements_return

// answer: int_sum
// expect: n = 300, blocks: 2: index 0
// The sum of a thread is an int. Right for integers.
namespace int_sum {
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}
__global__ void dot(const float* a, const float* b, float* out, int n) {
  int sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

}  // namespace int_sum

// answer: without_atomics
// expect: stores to `out` that are not atomic, at most 0 are needed
// Reads and writes without an atomic operation. Two blocks can read the same sum, and one addition
// is lost.
namespace without_atomics {
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}
__global__ void dot(const float* a, const float* b, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) {
    __threadfence();
    const float old = *(volatile float*)out;
    *(volatile float*)out = old + sum;
    __threadfence();
  }
}

}  // namespace without_atomics
