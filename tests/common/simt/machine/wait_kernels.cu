// Loops that wait for other threads.
#include "kernels.h"

// The second warp sets what the first one waits for.
__global__ void wait_for_warp(volatile int* ready, int* out) {
  if (threadIdx.x / 32 == 0)
    while (ready[0] == 0) continue;
  else
    ready[0] = 7;
  out[threadIdx.x] = ready[0];
}

// A chain of blocks: each adds its own number to what the previous one has left.
__global__ void chained_sum(volatile int* ready, volatile int* sums) {
  if (threadIdx.x != 5) return;
  const int block = blockIdx.x;
  int sum = block + 1;
  if (block > 0) {
    while (ready[block - 1] == 0) continue;
    __threadfence();
    sum += sums[block - 1];
  }
  sums[block] = sum;
  __threadfence();
  ready[block] = 1;
}

// The first block waits for the last one, and the last one for the first.
__global__ void wait_for_each_other(volatile int* ready, int* out) {
  ready[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  int other;
  while ((other = ready[gridDim.x - 1 - blockIdx.x]) == 0) continue;
  out[blockIdx.x] = other - 1;
}

__global__ void wait_beside_barriers(volatile int* ready, int* out) {
  __shared__ int seen;
  if (threadIdx.x == 0) ready[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  for (int other = 0; other == 0;) {
    if (threadIdx.x == 0) seen = ready[gridDim.x - 1 - blockIdx.x];
    __syncthreads();
    other = seen;
    __syncthreads();
    if (threadIdx.x == 0 && other > 0) out[blockIdx.x] = other - 1;
  }
}

__global__ void wait_for_nobody(const int* flag, int* out) {
  int rounds = 0;
  while (*flag == 0) ++rounds;  // mark: wait for nobody
  *out = rounds;
}

__global__ void wait_at_barriers(int* out) {
  __shared__ int is_done;
  if (threadIdx.x == 0) is_done = 0;
  __syncthreads();
  while (!is_done) __syncthreads();  // mark: wait at barriers
  out[threadIdx.x] = 1;
}
