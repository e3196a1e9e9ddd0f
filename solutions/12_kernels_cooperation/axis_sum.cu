// axis_sum: exercise 12.axis_sum, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  // blank: Each lane adds every 32nd element of the row, then the lanes add up. 5 lines.
  float sum = 0;
  if (row < rows)
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0 && row < rows) out[row] = sum;
  // end
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  // blank: One thread per column: neighbors load neighboring elements. 4 lines.
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
  // end
}
