#include "kernels.h"

// answer: adds_zeros_too
// One thread per bin where the block is that large; empty bins are added, too.
namespace adds_zeros_too {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned count[256];
  unsigned b = threadIdx.x;
  while (b < 256) count[b] = 0, b += blockDim.x;
  __syncthreads();
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  while (i < static_cast<unsigned>(n)) {
    const unsigned value = in[i];
    atomicAdd(count + value, 1u);
    i += gridDim.x * blockDim.x;
  }
  __syncthreads();
  for (b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(bins + b, count[b]);
}
}  // namespace adds_zeros_too

// answer: four_bytes_per_turn
// Each thread counts four bytes, a whole grid apart, per turn of its loop.
namespace four_bytes_per_turn {
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
}  // namespace four_bytes_per_turn
