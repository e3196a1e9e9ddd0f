// expect: requests to shared memory, at most 1024 are needed
// Every sum is right, but 255 threads wait while one thread adds 256 elements.
#include "kernels.h"

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
