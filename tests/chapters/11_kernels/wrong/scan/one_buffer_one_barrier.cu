// expect: reads it (one_buffer_one_barrier.cu:12): write after read
// A thread may overwrite an element before the thread d further on has read it.
#include "kernels.h"

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
