// warp_sum: exercise 12.warp_sum, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

// solution only
__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;  // In lane 0; the other lanes have partial sums.
}
// end

__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float slots[32];
  const int t = threadIdx.x, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + t;
  // blank: Sum of each warp, one slot each, a barrier, sum of the slots. 9 lines.
  const float sum = sum_of_warp(i < n ? in[i] : 0.0f);
  if (t % 32 == 0) slots[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float total = sum_of_warp(t < warps ? slots[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
  // end
}
