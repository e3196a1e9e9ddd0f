// expect: waits here, 255 at line 14
// The first d threads do not reach the barrier between reading and writing.
#include "kernels.h"

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
