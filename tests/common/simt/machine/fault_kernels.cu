#include "kernels.h"
#include "step.h"

__global__ void divided_barrier(int* out) {
  if (threadIdx.x < 32)
    __syncthreads();  // mark: divided_barrier
  else
    __syncthreads();  // mark: other_barrier
  out[threadIdx.x] = 1;
}

__global__ void barrier_of_header(const int* in, int* out) {
  __shared__ int s[64];
  end_of_step();
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[63 - threadIdx.x];  // mark: after step
}

__global__ void early_return(int* out, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();  // mark: early_return
  out[threadIdx.x] = 1;
}

__global__ void divide(const int* in, int* out) {
  out[threadIdx.x] = 12 / in[threadIdx.x];  // mark: divide
}

__global__ void checks(const int* in, int* out) {
  assert(in[threadIdx.x] > 0);  // mark: checks
  out[threadIdx.x] = 1;
}

__global__ void wild(int* out, long long offset) {
  if (threadIdx.x == 3) out[offset] = 1;  // mark: wild
  out[threadIdx.x] = 1;
}

// Without an end, so that the stack overflows.
__attribute__((noinline)) __device__ static int deeper(volatile int* array, int depth) {
  volatile int local[64];
  local[depth % 64] = depth;
  return depth < 0 ? array[0] : deeper(local, depth + 1) + local[depth % 64];
}

__global__ void endless(int* out) {
  volatile int start = 0;
  out[threadIdx.x] = threadIdx.x == 1 ? deeper(&start, 0) : 1;
}

// Larger than a stack, and than a page before it.
__attribute__((noinline)) __device__ static int large_array(int i) {
  volatile int local[40000];
  local[i] = i;
  return local[i];
}

__global__ void large_local(int* out) { out[threadIdx.x] = threadIdx.x == 1 ? large_array(0) : 1; }

// Not inlined, so that its lines are lines of another function.
__attribute__((noinline)) __device__ static float load(const float* in, int i) {
  return in[i];  // mark: load
}

__device__ __forceinline__ float load_inline(const float* in, int i) {
  return in[i];  // mark: load_inline
}

__global__ void device_function(const float* in, float* out) {
  out[threadIdx.x] = load(in, threadIdx.x) + load_inline(in, threadIdx.x);  // mark: store
}

#ifndef __CUDACC__  // which refuses exceptions in device code
#include <stdexcept>

__global__ void throws(int* out) {
  if (threadIdx.x == 1) throw std::runtime_error("no");
  out[threadIdx.x] = 1;
}
#endif
