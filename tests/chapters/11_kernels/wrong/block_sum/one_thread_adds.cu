// expect: requests to shared memory, at most 256 are needed
// Every sum is right, but 255 threads wait while one thread adds 256 elements.
#include "kernels.h"

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (t > 0) return;
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += s[j];
  out[blockIdx.x] = sum;
}
