#include "kernels.h"

// answer: edges_not_filled
// expect: reads tile_a[2] that no thread has written since the block began
// Right for multiples of 16. Otherwise the sums include elements that no thread has written.
namespace edges_not_filled {
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    if (row < m && first + tx < k) tile_a[ty][tx] = a[row * k + first + tx];
    if (first + ty < k && col < n) tile_b[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
}  // namespace edges_not_filled

// answer: last_tile_left_out
// expect: m = 2, n = 2, k = 2: index 0: expected -28, got 0
// Right where k is a multiple of 16: the loop ends before the tile that is partly empty.
namespace last_tile_left_out {
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first + 16 <= k; first += 16) {
    tile_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
}  // namespace last_tile_left_out

// answer: one_barrier_per_tile
// expect: writes tile_a[0] while … reads it … write after read
// Right for k up to 16. Else the next tile overwrites what other warps still multiply.
namespace one_barrier_per_tile {
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    tile_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
}  // namespace one_barrier_per_tile

// answer: rows_on_x
// expect: 12672 excessive sectors of global memory, 75 % of all
// Every result is right. But neighboring threads load and store elements of different rows.
namespace rows_on_x {
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.y, ty = threadIdx.x;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    tile_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
}  // namespace rows_on_x

// answer: without_tiles
// expect: 7680 excessive sectors of global memory, 25 % of all
// Every result is right. But each element is loaded from global memory 16 times per block.
namespace without_tiles {
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace without_tiles

// answer: int_tiles
// expect: m = 9, n = 33, k = 17: index 0
// Shared memory holds ints. Right for integers.
namespace int_tiles {

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ int tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  int sum = 0;
  for (int first = 0; first < k; first += 16) {
    tile_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

}  // namespace int_tiles

// answer: guards_b_only
// expect: a[1][0] is infinite: index 0: expected 17, got
// A tile of A continues in the next row, where B is 0. Right for finite elements.
namespace guards_b_only {

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    tile_a[ty][tx] = row < m && row * k + first + tx < m * k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

}  // namespace guards_b_only
