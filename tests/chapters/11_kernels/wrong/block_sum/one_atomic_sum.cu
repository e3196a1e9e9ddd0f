// expect: atomic requests to shared memory, at most 0 are needed
// Every sum is right, but all 256 additions to one word run one after another.
#include "kernels.h"

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float sum;
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (t == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = sum;
}
