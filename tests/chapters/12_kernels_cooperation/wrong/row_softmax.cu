#include "kernels.h"

// answer: no_maximum
// expect: index 0: expected
// Right for small numbers. exp(1000) is infinite in float.
namespace no_maximum {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col]);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col]) / sum;
}
}  // namespace no_maximum

// answer: maximum_of_zero_or_more
// expect: index 0: expected
// Right where a row has an element of 0 or more. Otherwise all exp(x - 0) are 0.
namespace maximum_of_zero_or_more {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  float largest = 0;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace maximum_of_zero_or_more

// answer: maximum_of_a_low_number
// expect: index 0: expected
// Right unless a row has only elements below -1e30.
namespace maximum_of_a_low_number {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  float largest = -1e30f;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace maximum_of_a_low_number

// answer: first_32_columns
// expect: expected
// Right for rows of up to 32 elements.
namespace first_32_columns {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  if (cols > 32) cols = 32;
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace first_32_columns

// answer: sum_in_lane_0_only
// expect: index
// Lane 0 has the sum; the other lanes divide by a part of it.
namespace sum_in_lane_0_only {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace sum_in_lane_0_only

// answer: maximum_in_lane_0_only
// expect: index
// Lane 0 has the maximum; the other lanes subtract another number.
namespace maximum_in_lane_0_only {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_down_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace maximum_in_lane_0_only

// answer: one_lane_computes_the_row
// expect: loads of `in` by a warp, at most 200 are needed
// Right, but 31 lanes have nothing to do.
namespace one_lane_computes_the_row {
__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows || threadIdx.x > 0) return;
  const float* x = in + row * cols;
  float largest = x[0], sum = 0;
  for (int col = 1; col < cols; ++col) largest = fmaxf(largest, x[col]);
  for (int col = 0; col < cols; ++col) sum += expf(x[col] - largest);
  for (int col = 0; col < cols; ++col) out[row * cols + col] = expf(x[col] - largest) / sum;
}
}  // namespace one_lane_computes_the_row

// answer: no_test_of_the_row
// expect: past the end of
// Right where the number of rows is a multiple of 4.
namespace no_test_of_the_row {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  const float* x = in + row * cols;
  float* y = out + row * cols;
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace no_test_of_the_row

// answer: lanes_without_elements_return
// expect: in __shfl_xor_sync
// Right where a row has at least 32 elements.
namespace lanes_without_elements_return {
__device__ float max_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;  // In all lanes.
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void row_softmax(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // The whole warp returns, and no barrier follows.
  const float* x = in + row * cols;
  float* y = out + row * cols;
  if (lane >= cols) return;
  float largest = -INFINITY;
  for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[col]);
  largest = max_of_warp(largest);
  float sum = 0;
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - largest);
  sum = sum_of_warp(sum);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - largest) / sum;
}
}  // namespace lanes_without_elements_return
