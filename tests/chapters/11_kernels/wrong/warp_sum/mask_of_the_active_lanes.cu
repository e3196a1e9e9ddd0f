// expect: reads from lane 16 in __shfl_down_sync, which does not take part
// The mask is true, but lanes at the end read from lanes that it does not name.
#include "kernels.h"

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  float sum = 0;
  if (i < n) {
    const unsigned mask = __activemask();
    sum = in[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(mask, sum, step);
  }
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
