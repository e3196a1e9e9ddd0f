#include <cuda_pipeline.h>

#include "kernels.h"

// What most answers share: the buffers, and the copies of one thread as in the exercise.
template <int row_words>
struct Tiles {
  float x[2][8][32], w[2][32][row_words];
};

template <int row_words>
__device__ void start(Tiles<row_words>& to, const float* x, const float* weight, int depth,
                      int first, int buffer) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8, output = blockIdx.x * 32;
  __pipeline_memcpy_async(&to.x[buffer][ty][tx], &x[(row + ty) * depth + first + tx], 4);
  for (int j = ty; j < 32; j += 8)
    __pipeline_memcpy_async(&to.w[buffer][j][tx], &weight[(output + j) * depth + first + tx], 4);
  __pipeline_commit();
}

template <int row_words>
__device__ float products(const Tiles<row_words>& of, int buffer) {
  float sum = 0;
  for (int p = 0; p < 32; ++p) sum += of.x[buffer][threadIdx.y][p] * of.w[buffer][threadIdx.x][p];
  return sum;
}

// The element of y of the calling thread.
__device__ float& own(float* y, int outputs) {
  return y[(blockIdx.y * 8 + threadIdx.y) * outputs + blockIdx.x * 32 + threadIdx.x];
}

// answer: barrier_before_the_wait
// expect: read after write
// Waits for its own copies only after the barrier, so those of other threads may be missing.
namespace barrier_before_the_wait {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<33> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    __syncthreads();
    __pipeline_wait_prior(0);
    if (first + 32 < depth) start(tiles, x, weight, depth, first + 32, 1 - buffer);
    sum += products(tiles, buffer);
  }
  own(y, outputs) = sum;
}
}  // namespace barrier_before_the_wait

// answer: starts_too_early
// expect: write after read
// The copies may arrive while other threads still read the buffer.
namespace starts_too_early {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<33> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    if (first + 32 < depth) start(tiles, x, weight, depth, first + 32, 1 - buffer);
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += products(tiles, buffer);
  }
  own(y, outputs) = sum;
}
}  // namespace starts_too_early

// answer: no_barrier_after_the_products
// expect: write after read
// As above, and the wait for the last but one copy hides it: the writes come after the next
// barrier.
namespace no_barrier_after_the_products {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<33> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    const bool is_last = first + 32 == depth;
    if (!is_last) start(tiles, x, weight, depth, first + 32, 1 - buffer);
    __pipeline_wait_prior(is_last ? 0 : 1);
    __syncthreads();
    sum += products(tiles, buffer);
  }
  own(y, outputs) = sum;
}
}  // namespace no_barrier_after_the_products

// answer: one_more_barrier
// expect: 0 bytes are copied during other work, expected 15360
// Every result is right. But each copy is waited for before there are any products.
namespace one_more_barrier {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<33> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    if (first + 32 < depth) start(tiles, x, weight, depth, first + 32, 1 - buffer);
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += products(tiles, buffer);
    __syncthreads();
  }
  own(y, outputs) = sum;
}
}  // namespace one_more_barrier

// answer: rows_of_32_words
// expect: 23808 passes of shared memory are due to bank conflicts
// Every result is right. But the 32 lanes read words of one bank.
namespace rows_of_32_words {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<32> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 32 < depth) start(tiles, x, weight, depth, first + 32, 1 - buffer);
    sum += products(tiles, buffer);
  }
  own(y, outputs) = sum;
}
}  // namespace rows_of_32_words

// answer: leaves_one_pending
// expect: reads … that no thread has written since the block began
// Leaves the newest copies pending, and the last pair of tiles is the newest one.
namespace leaves_one_pending {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<33> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    if (first + 32 < depth) start(tiles, x, weight, depth, first + 32, 1 - buffer);
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += products(tiles, buffer);
    __syncthreads();
  }
  own(y, outputs) = sum;
}
}  // namespace leaves_one_pending

// answer: one_buffer
// expect: write after read
// Right for one pair of tiles. Otherwise the copies overwrite what is still multiplied.
namespace one_buffer {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ Tiles<33> tiles;
  float sum = 0;
  start(tiles, x, weight, depth, 0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 0) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 32 < depth) start(tiles, x, weight, depth, first + 32, 0);
    sum += products(tiles, buffer);
  }
  own(y, outputs) = sum;
}
}  // namespace one_buffer

// answer: plain_loads
// expect: 0 bytes are copied asynchronously, expected 20480
// Every result is right, and there are no bank conflicts. But the loads are not asynchronous.
namespace plain_loads {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ float tile_x[8][32], tile_w[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8, output = blockIdx.x * 32;
  float sum = 0;
  for (int first = 0; first < depth; first += 32) {
    tile_x[ty][tx] = x[(row + ty) * depth + first + tx];
    for (int j = ty; j < 32; j += 8) tile_w[j][tx] = weight[(output + j) * depth + first + tx];
    __syncthreads();
    for (int p = 0; p < 32; ++p) sum += tile_x[ty][p] * tile_w[tx][p];
    __syncthreads();
  }
  own(y, outputs) = sum;
}
}  // namespace plain_loads

// answer: exchanges_the_lanes
// expect: 135168 bytes loaded from global memory, at most 20480 are needed
// No bank conflicts, and every result is right. But a warp copies a column of the weight.
namespace exchanges_the_lanes {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ float tile_x[2][8][32], tile_w[2][32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8, output = blockIdx.x * 32;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_x[buffer][ty][tx], &x[(row + ty) * depth + first + tx], 4);
    for (int p = ty; p < 32; p += 8)
      __pipeline_memcpy_async(&tile_w[buffer][p][tx], &weight[(output + tx) * depth + first + p],
                              4);
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 32 < depth) start(first + 32, 1 - buffer);
    for (int p = 0; p < 32; ++p) sum += tile_x[buffer][ty][p] * tile_w[buffer][p][tx];
  }
  own(y, outputs) = sum;
}
}  // namespace exchanges_the_lanes

// answer: conflicts_at_the_store
// expect: passes of shared memory are due to bank conflicts
// The loads are free of conflicts, because the copies store the tile in columns.
namespace conflicts_at_the_store {
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth) {
  __shared__ float tile_x[2][8][32], tile_w[2][32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8, output = blockIdx.x * 32;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_x[buffer][ty][tx], &x[(row + ty) * depth + first + tx], 4);
    for (int j = ty; j < 32; j += 8)
      __pipeline_memcpy_async(&tile_w[buffer][tx][j], &weight[(output + j) * depth + first + tx],
                              4);
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < depth; first += 32, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 32 < depth) start(first + 32, 1 - buffer);
    for (int p = 0; p < 32; ++p) sum += tile_x[buffer][ty][p] * tile_w[buffer][p][tx];
  }
  own(y, outputs) = sum;
}
}  // namespace conflicts_at_the_store
