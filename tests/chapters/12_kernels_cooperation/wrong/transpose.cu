#include "kernels.h"

// answer: barrier_in_the_test
// expect: 6 threads of block (0,0,0) wait here, 250 have returned before
// Right where rows and cols are multiples of 32. Elsewhere some threads do not reach the barrier.
namespace barrier_in_the_test {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) {
      tile[ty][tx] = in[row * cols + col];
      __syncthreads();
    }
  }
  const int out_col = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.x * 32 + ty;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
}  // namespace barrier_in_the_test

// answer: blocks_not_swapped
// expect: 64 x 64: index 32: expected 2048, got 32
// Right where there is a single tile. Else each tile is transposed, but it stays where it was.
namespace blocks_not_swapped {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  __syncthreads();
  const int out_col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.y * 32 + ty;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
}  // namespace blocks_not_swapped

// answer: no_barrier
// expect: reads tile[8] while thread (8,0,0) writes it
// Reads elements of the tile that other warps may not have stored yet.
namespace no_barrier {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];  //! The extra column moves each row to the next bank.
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  const int out_col = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.x * 32 + ty;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
}  // namespace no_barrier

// answer: no_padding
// expect: 11904 passes of shared memory are due to bank conflicts
// Every result is right. But a column of the tile lies in a single bank.
namespace no_padding {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  __syncthreads();
  const int out_col = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.x * 32 + ty;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
}  // namespace no_padding

// answer: rows_and_cols_exchanged
// expect: 32 x 96: index 1024
// Right for square matrices: the tests at the edge of the result use the sizes of the input.
namespace rows_and_cols_exchanged {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];  //! The extra column moves each row to the next bank.
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  __syncthreads();
  const int out_col = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int out_row = blockIdx.x * 32 + ty;
    if (out_row < rows && out_col < cols) out[out_row * rows + out_col] = tile[tx][ty];
  }
}
}  // namespace rows_and_cols_exchanged

// answer: without_a_tile
// expect: 21504 excessive sectors of global memory, 78 % of all
// Every result is right. But the lanes of a warp store to 32 different rows of `out`.
namespace without_a_tile {
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
}  // namespace without_a_tile

// answer: skips_partial_tiles
// expect: excessive sectors of global memory
// Tiles at the edge do not go through shared memory. Right results, and coalesced in whole tiles.
namespace skips_partial_tiles {

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x;
  const int col = blockIdx.x * 32 + tx;
  if (blockIdx.x * 32 + 32 > cols || blockIdx.y * 32 + 32 > rows) {
    for (int ty = threadIdx.y; ty < 32; ty += 8) {
      const int row = blockIdx.y * 32 + ty;
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
    return;
  }
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int row = blockIdx.y * 32 + ty;
    if (row < rows && col < cols) tile[ty][tx] = in[row * cols + col];
  }
  __syncthreads();
  const int r = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    const int c = blockIdx.x * 32 + ty;
    if (r < rows && c < cols) out[c * rows + r] = tile[tx][ty];
  }
}

}  // namespace skips_partial_tiles
