#include "kernels.h"

// answer: one_lane_adds_a_row
// expect: loads of `in` by a warp, at most 384 are needed
// Right, but 31 lanes have nothing to do.
namespace one_lane_adds_a_row {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  if (row < rows)
    for (int col = 0; col < cols && lane == 0; ++col) sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0 && row < rows) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
}
}  // namespace one_lane_adds_a_row

// answer: a_chunk_per_lane
// expect: excessive sectors of global memory
// Right, but neighboring lanes load elements that are a chunk apart.
namespace a_chunk_per_lane {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  const int chunk = (cols + 31) / 32;
  if (row < rows)
    for (int col = lane * chunk; col < lane * chunk + chunk && col < cols; ++col)
      sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0 && row < rows) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
}
}  // namespace a_chunk_per_lane

// answer: whole_warps_of_a_row
// expect: sum_of_rows: index 0: expected
// Right where a row is a multiple of 32 long: the last columns are left out.
namespace whole_warps_of_a_row {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  if (row < rows)
    for (int col = lane; col < cols / 32 * 32; col += 32) sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0 && row < rows) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
}
}  // namespace whole_warps_of_a_row

// answer: no_test_of_the_row
// expect: past the end of
// Right where the number of rows is a multiple of 8.
namespace no_test_of_the_row {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
}
}  // namespace no_test_of_the_row

// answer: rows_and_columns_exchanged
// expect: sum_of_columns: index
// Right for square matrices: the distance between two rows is the number of columns.
namespace rows_and_columns_exchanged {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  if (row < rows)
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0 && row < rows) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * rows + col];
  out[col] = sum;
}
}  // namespace rows_and_columns_exchanged

// answer: lane_sums_not_added
// expect: sum_of_rows: index
// Each lane has added its elements, but lane 0 stores only its own sum.
namespace lane_sums_not_added {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  if (row < rows)
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
  if (lane == 0 && row < rows) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
}
}  // namespace lane_sums_not_added

// answer: a_warp_per_column
// expect: sum_of_columns
// The lanes of a warp share a column, so each of them touches another row.
namespace a_warp_per_column {
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  if (row < rows)
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0 && row < rows) out[row] = sum;
}

__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  for (int col = blockIdx.x * 256 + threadIdx.x / 32; col < blockIdx.x * 256 + 256; col += 8) {
    float sum = 0;
    for (int row = lane; row < rows && col < cols; row += 32) sum += in[row * cols + col];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0 && col < cols) out[col] = sum;
  }
}
}  // namespace a_warp_per_column

// answer: int_sums
// expect: 31 x 37, sum_of_rows
// The sum of a lane is an int. Right for integers.
namespace int_sums {

__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  int v = 0;
  if (row < rows)
    for (int c = lane; c < cols; c += 32) v += in[row * cols + c];
  v = __reduce_add_sync(~0u, v);
  if (row < rows && lane == 0) out[row] = v;
}
__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  float v = 0;
  if (col < cols) {
    for (int r = 0; r < rows; ++r) v += in[r * cols + col];
    out[col] = v;
  }
}

}  // namespace int_sums

// answer: half_columns
// expect: 31 x 37, sum_of_columns
// The sum of a column is a half. Right for integers with small sums.
namespace half_columns {

__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float v = 0;
  if (row < rows)
    for (int c = lane; c < cols; c += 32) v += in[row * cols + c];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (row < rows && lane == 0) out[row] = v;
}
__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  half v = __float2half(0.0f);
  for (int r = 0; r < rows; ++r) v = __hadd(v, __float2half(in[r * cols + col]));
  out[col] = __half2float(v);
}

}  // namespace half_columns

// answer: adds_in_memory
// expect: stores to `out` by a thread, at most 64 are needed
// Adds each element to global memory, which is one more load and one more store per element.
namespace adds_in_memory {

__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float v = 0;
  if (row < rows)
    for (int c = lane; c < cols; c += 32) v += in[row * cols + c];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (row < rows && lane == 0) out[row] = v;
}
__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  out[col] = 0;
  for (int r = 0; r < rows; ++r) out[col] += in[r * cols + col];
}

}  // namespace adds_in_memory

// answer: two_atomics
// expect: atomic operations on `out`, at most 0 are needed
// The lanes add by atomic operations instead of shuffles.
namespace two_atomics {

__global__ void sum_of_rows(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float v = 0;
  if (row < rows)
    for (int c = lane; c < cols; c += 32) v += in[row * cols + c];
  if (row < rows && lane == 0) out[row] = 0;
  __syncwarp();
  if (row < rows) atomicAdd(&out[row], v);
}
__global__ void sum_of_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  float v = 0;
  if (col < cols) {
    for (int r = 0; r < rows; ++r) v += in[r * cols + col];
    out[col] = v;
  }
}

}  // namespace two_atomics
