// expect: n = 128 with blocks of 64: index 0: expected 3, got -2
// Right for one warp: the sums of the other warps are left out.
#include "kernels.h"

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;  // In lane 0; the other lanes have partial sums.
}

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  const float sum = sum_of_warp(i < n ? in[i] : 0.0f);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < 1 ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
