// expect: in __shfl_down_sync with mask 0xffffffff for lanes 1-31
// Right where n is a multiple of 32. Else lanes that the mask names do not make the call.
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
  if (i < n) sum = sum_of_warp(in[i]);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
