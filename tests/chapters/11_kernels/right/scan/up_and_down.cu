// Sums of pairs, of pairs of pairs and so on, and back down; one word of padding per 32 elements.
#include "kernels.h"

__device__ int padded(int i) { return i + i / 32; }

__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256 + 8];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  const int own = i < n ? in[i] : 0;
  s[padded(t)] = own;
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    const int right = (t + 1) * d * 2 - 1;
    if (right < 256) s[padded(right)] += s[padded(right - d)];
  }
  __syncthreads();
  if (t == 0) {
    block_sums[blockIdx.x] = s[padded(255)];
    s[padded(255)] = 0;
  }
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    const int right = (t + 1) * d * 2 - 1;
    if (right >= 256) continue;
    const int left = s[padded(right - d)];
    s[padded(right - d)] = s[padded(right)];
    s[padded(right)] += left;
  }
  __syncthreads();
  if (i < n) out[i] = s[padded(t)] + own;
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}
