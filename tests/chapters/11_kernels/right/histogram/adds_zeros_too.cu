// One thread per bin where the block is that large; empty bins are added, too.
#include "kernels.h"

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
