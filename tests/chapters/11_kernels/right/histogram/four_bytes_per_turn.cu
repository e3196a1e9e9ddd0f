// Each thread counts four bytes, a whole grid apart, per turn of its loop.
#include "kernels.h"

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned counts[256];
  const unsigned threads = blockDim.x;
  for (unsigned b = threadIdx.x; b < 256; b += threads) counts[b] = 0;
  __syncthreads();
  const int all = static_cast<int>(gridDim.x * threads);
  for (int first = static_cast<int>(blockIdx.x * threads + threadIdx.x); first < n;
       first += 4 * all)
    for (int k = 0; k < 4 && first + k * all < n; ++k) atomicAdd(counts + in[first + k * all], 1);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 256; b += threads)
    if (counts[b] != 0) atomicAdd(bins + b, counts[b]);
}
