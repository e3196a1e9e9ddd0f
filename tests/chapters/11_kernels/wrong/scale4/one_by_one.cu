// expect: 512 load requests, at most 134 are needed
// Every result is right, and every access coalesced; but it takes four times as many requests.
#include "kernels.h"

__global__ void scale4(float* x, float factor, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) x[i] *= factor;
}
