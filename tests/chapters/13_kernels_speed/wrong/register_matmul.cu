#include "kernels.h"

// answer: loads_for_each_product
// expect: 5120 requests of 8 warps to load from shared memory, at most 2048 are needed
// Every result is right. But a thread loads two elements of shared memory for each product.
namespace loads_for_each_product {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and col + 16 * j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += tile_a[ty + 16 * i][p] * tile_b[p][tx + 16 * j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
}  // namespace loads_for_each_product

// answer: neighboring_columns
// expect: 1024 passes of shared memory are due to bank conflicts
// Every result is right. But a thread computes 4 neighboring columns, so that the threads of a
// warp read every fourth element of a row.
namespace neighboring_columns {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and blockIdx.x * 64 + 4 * tx + j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][4 * tx + i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && blockIdx.x * 64 + 4 * tx + j < n)
        c[(row + 16 * i) * n + blockIdx.x * 64 + 4 * tx + j] = sum[i][j];
}
}  // namespace neighboring_columns

// answer: one_barrier_per_tile
// expect: writes tile_a[0] while … reads it … write after read
// Right for k up to 16. Else the next tile overwrites what other warps still multiply.
namespace one_barrier_per_tile {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and col + 16 * j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][tx + 16 * i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
}  // namespace one_barrier_per_tile

// answer: no_barrier_after_the_load
// expect: reads tile_a[1] while … writes it … read after write
// Multiplies elements that other threads have not loaded.
namespace no_barrier_after_the_load {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and col + 16 * j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    for (int p = 0; p < 16; ++p) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][tx + 16 * i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
}  // namespace no_barrier_after_the_load

// answer: forgets_earlier_tiles
// expect: m = 64, n = 64, k = 48: index 0: expected 186, got 46
// Right for k up to 16: the sums begin at 0 in each tile.
namespace forgets_earlier_tiles {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and col + 16 * j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      if (p == 0)
        for (int i = 0; i < 16; ++i) sum[i / 4][i % 4] = 0;
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][tx + 16 * i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
}  // namespace forgets_earlier_tiles

// answer: rows_and_columns_exchanged
// expect: m = 64, n = 64, k = 16: index 16: expected 87, got 54
// Puts the product of left[i] and right[j] into sum[j][i].
namespace rows_and_columns_exchanged {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and col + 16 * j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][tx + 16 * i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[j][i] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
}  // namespace rows_and_columns_exchanged

// answer: up_to_k_in_each_tile
// expect: reads tile_b[1024], past the end of tile_b
// Right only where k is 16: the loop inside of a tile ends at k.
namespace up_to_k_in_each_tile {
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};  // sum[i][j] belongs to row + 16 * i and col + 16 * j
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {  // a row of tile_a has 16 elements, a row of tile_b has 64
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < k; ++p) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][tx + 16 * i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
}  // namespace up_to_k_in_each_tile

// answer: half_products
// expect: m = 9, n = 65, k = 17: index 0
// The factors are halves. Right for small integers.
namespace half_products {

__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};
  for (int first = 0; first < k; first += 16) {
    for (int i = 0; i < 4; ++i) {
      const int r = row + 16 * i, p = first + t / 64 + 4 * i, s = blockIdx.x * 64 + t % 64;
      tile_a[ty + 16 * i][tx] = r < m && first + tx < k ? a[r * k + first + tx] : 0.0f;
      tile_b[t / 64 + 4 * i][t % 64] = p < k && s < n ? b[p * n + s] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      half l[4], r[4];
      for (int i = 0; i < 4; ++i) {
        l[i] = __float2half(tile_a[ty + 16 * i][p]);
        r[i] = __float2half(tile_b[p][tx + 16 * i]);
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += __half2float(__hmul(l[i], r[j]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}

}  // namespace half_products
