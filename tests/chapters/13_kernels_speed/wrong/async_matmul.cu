#include <cuda_pipeline.h>

#include "kernels.h"

// answer: one_buffer
// expect: starts to write tile_a[1] while … reads it … write after read
// Right for one pair of tiles. Otherwise the copies overwrite what is still multiplied.
namespace one_buffer {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 0) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 16 < k) start(first + 16, buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace one_buffer

// answer: waits_at_once
// expect: 0 bytes are in flight while their thread reads shared memory, expected 8192
// Every result is right. But it waits for the next tiles before it uses the present ones.
namespace waits_at_once {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 16 < k) start(first + 16, 1 - buffer), __pipeline_wait_prior(0);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace waits_at_once

// answer: starts_after_the_products
// expect: 0 bytes are in flight while their thread reads shared memory, expected 8192
// Every result is right. But the next copies start when there is nothing left to do meanwhile.
namespace starts_after_the_products {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
    if (first + 16 < k) start(first + 16, 1 - buffer);
  }
  c[row * n + col] = sum;
}
}  // namespace starts_after_the_products

// answer: no_wait
// expect: reads tile_a[0] that no thread has written since the block began
// Waits for the other threads, but not for its copies.
namespace no_wait {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __syncthreads();
    if (first + 16 < k) start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace no_wait

// answer: no_barrier
// expect: reads tile_a[1] while … writes it … read after write
// Waits for its own copies, but not for those of the other threads.
namespace no_barrier {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    if (first + 16 < k) start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace no_barrier

// answer: waits_for_all_but_one
// expect: reads tile_a[0] that no thread has written since the block began
// Copied from a version that starts the next tile first: here the newest batch is the one that
// is needed.
namespace waits_for_all_but_one {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __pipeline_wait_prior(1);
    __syncthreads();
    if (first + 16 < k) start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace waits_for_all_but_one

// answer: barrier_before_the_wait
// expect: reads tile_a[1] while … writes it … read after write
// Waits for its own copies only after the barrier, so those of others may be missing.
namespace barrier_before_the_wait {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __syncthreads();
    __pipeline_wait_prior(0);
    if (first + 16 < k) start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace barrier_before_the_wait

// answer: plain_loads
// expect: 0 bytes are copied asynchronously, expected 10240
// Every result is right, in two buffers. But the loads are not asynchronous.
namespace plain_loads {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    tile_a[buffer][ty][tx] = a[row * k + first + tx];
    tile_b[buffer][ty][tx] = b[(first + ty) * n + col];
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + 16 < k) start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace plain_loads

// answer: starts_one_too_many
// expect: reads a[256], past the end of a
// Every result is right. But the last step starts copies past the end of A and B.
namespace starts_one_too_many {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
    __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    __pipeline_wait_prior(0);
    __syncthreads();
    start(first + 16, 1 - buffer);
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace starts_one_too_many

// answer: no_barrier_after_the_products
// expect: starts to write tile_a[1] while … reads it … write after read
// The next copies start, and may write, while other threads still read the buffer.
namespace no_barrier_after_the_products {
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  const auto start = [&](int first, int buffer) {
    if (first < k) {
      __pipeline_memcpy_async(&tile_a[buffer][ty][tx], &a[row * k + first + tx], sizeof(float));
      __pipeline_memcpy_async(&tile_b[buffer][ty][tx], &b[(first + ty) * n + col], sizeof(float));
    }
    __pipeline_commit();
  };
  float sum = 0;
  start(0, 0);
  for (int first = 0, buffer = 0; first < k; first += 16, buffer = 1 - buffer) {
    start(first + 16, 1 - buffer);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[buffer][ty][p] * tile_b[buffer][p][tx];
  }
  c[row * n + col] = sum;
}
}  // namespace no_barrier_after_the_products
