// histogram: exercise 12.histogram, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];  // The block's own bins.
  // blank: Set the block's bins to 0, count, add them to `bins`. 8 lines.
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&bins[b], mine[b]);
  // end
}
