// expect: scan and add_carry, n = 600: index 256: expected 509, got 1019
// Right for one block. The carry holds the sum of the block itself.
#include "kernels.h"

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
