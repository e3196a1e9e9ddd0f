// row_softmax: exercise 12.row_softmax, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

// solution only
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}
// end

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  // blank: The maximum of the row, the sum of exp(x - m), then the quotients. 7 lines.
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
  // end
}
