// The kernel, with a variable of shared memory whose name the other file has, too.
#include "scale.h"

extern __shared__ float tile[];

__global__ void scale(float* data, int n, float factor) {
  tile[threadIdx.x] = threadIdx.x < n ? data[threadIdx.x] : 0;
  __syncthreads();
  if (threadIdx.x < n) data[threadIdx.x] = factor * tile[n - 1 - threadIdx.x];
}
