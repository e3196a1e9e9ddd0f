// The kernel of main.cpp: each block of 256 threads reverses its 256 elements.
#include "simt/kernel.h"

__global__ void reverse_tiles(const float* in, float* out) {
  __shared__ float tile[256];  // one array per block, which all of its threads can access
  const int first = blockIdx.x * 256, t = threadIdx.x;
  tile[t] = in[first + t];
  __syncthreads();  // waits until every thread of the block has stored its element
  out[first + t] = tile[255 - t];
}
