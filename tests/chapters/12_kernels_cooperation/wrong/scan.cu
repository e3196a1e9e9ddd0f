#include "kernels.h"

// answer: barrier_in_the_branch
// expect: waits here, 255 at line
// The first d threads do not reach the barrier between reading and writing.
namespace barrier_in_the_branch {
__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    if (t >= d) {
      const int before = s[t - d];
      __syncthreads();
      s[t] += before;
    }
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == 255) block_sums[blockIdx.x] = s[t];
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}
}  // namespace barrier_in_the_branch

// answer: exclusive
// expect: n = 256, `out`: index 0: expected -4, got 0
// The sums before each element, without the element itself.
namespace exclusive {
__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int before = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += before;
    __syncthreads();
  }
  if (i < n) out[i] = t > 0 ? s[t - 1] : 0;
  if (t == 255) block_sums[blockIdx.x] = s[t];
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}
}  // namespace exclusive

// answer: one_buffer_one_barrier
// expect: writes s[1] while … reads it … write after read
// A thread may overwrite an element before the thread d further on has read it.
namespace one_buffer_one_barrier {
__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == 255) block_sums[blockIdx.x] = s[t];
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}
}  // namespace one_buffer_one_barrier

// answer: one_thread_adds
// expect: requests to shared memory, at most 1024 are needed
// Every sum is right, but 255 threads wait while one thread adds 256 elements.
namespace one_thread_adds {
__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (t == 0)
    for (int j = 1; j < 256; ++j) s[j] += s[j - 1];
  __syncthreads();
  if (i < n) out[i] = s[t];
  if (t == 255) block_sums[blockIdx.x] = s[t];
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}
}  // namespace one_thread_adds

// answer: own_sum_twice
// expect: scan and add_carry, n = 600: index 256: expected 509, got 1019
// Right for one block. The carry holds the sum of the block itself.
namespace own_sum_twice {
__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int before = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += before;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == 255) block_sums[blockIdx.x] = s[t];
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x];
}
}  // namespace own_sum_twice

// answer: float_scan
// expect: n = 600, `out`
// Shared memory holds floats. Right for sums below 2^24.
namespace float_scan {

__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const float o = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += o;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == 255) block_sums[blockIdx.x] = s[t];
}
__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}

}  // namespace float_scan
