#include "kernels.h"

// answer: b_by_columns
// expect: m = 16, n = 16, k = 16: index 0: expected -84, got -80
// The second factor is stored by rows; col_major multiplies by its transpose.
namespace b_by_columns {
using namespace nvcuda;

__global__ void tensor_matmul(const half* a, const half* b, float* c, int /*m*/, int n, int k) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(tile_a, a + row * k + p, k);
    wmma::load_matrix_sync(tile_b, b + p * n + col, n);
    wmma::mma_sync(sums, tile_a, tile_b, sums);
  }
  wmma::store_matrix_sync(c + row * n + col, sums, n, wmma::mem_row_major);
}
}  // namespace b_by_columns

// answer: half_sums
// expect: m = 16, n = 16, k = 48: index 0: expected 2107, got 2108
// Right for small sums. half has 11 bits, so 2,049 is lost.
namespace half_sums {
using namespace nvcuda;

__global__ void tensor_matmul(const half* a, const half* b, float* c, int /*m*/, int n, int k) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sums;
  wmma::fill_fragment(sums, __float2half(0.0f));
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(tile_a, a + row * k + p, k);
    wmma::load_matrix_sync(tile_b, b + p * n + col, n);
    wmma::mma_sync(sums, tile_a, tile_b, sums);
  }
  __shared__ __align__(32) half tile[256];
  wmma::store_matrix_sync(tile, sums, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    c[(row + i / 16) * n + col + i % 16] = __half2float(tile[i]);
}
}  // namespace half_sums

// answer: one_lane_only
// expect: of block (0,0,0) calls load_matrix_sync without lanes 1-31
// Warp functions need all 32 lanes: one lane cannot load, multiply or store a fragment.
namespace one_lane_only {
using namespace nvcuda;

__global__ void tensor_matmul(const half* a, const half* b, float* c, int /*m*/, int n, int k) {
  if (threadIdx.x != 0) return;
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(tile_a, a + row * k + p, k);
    wmma::load_matrix_sync(tile_b, b + p * n + col, n);
    wmma::mma_sync(sums, tile_a, tile_b, sums);
  }
  wmma::store_matrix_sync(c + row * n + col, sums, n, wmma::mem_row_major);
}
}  // namespace one_lane_only

// answer: rows_of_16
// expect: m = 16, n = 16, k = 48: index 16: expected 69, got -32
// Right for 16 x 16 x 16. Else rows lie k and n elements apart, not 16.
namespace rows_of_16 {
using namespace nvcuda;

__global__ void tensor_matmul(const half* a, const half* b, float* c, int /*m*/, int n, int k) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(tile_a, a + row * k + p, 16);
    wmma::load_matrix_sync(tile_b, b + p * n + col, 16);
    wmma::mma_sync(sums, tile_a, tile_b, sums);
  }
  wmma::store_matrix_sync(c + row * n + col, sums, n, wmma::mem_row_major);
}
}  // namespace rows_of_16

// answer: sums_not_filled
// expect: m = 16, n = 16, k = 16: index 0: expected -84, got nan
// The fragment of the sums begins with whatever its registers hold.
namespace sums_not_filled {
using namespace nvcuda;

__global__ void tensor_matmul(const half* a, const half* b, float* c, int /*m*/, int n, int k) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(tile_a, a + row * k + p, k);
    wmma::load_matrix_sync(tile_b, b + p * n + col, n);
    wmma::mma_sync(sums, tile_a, tile_b, sums);
  }
  wmma::store_matrix_sync(c + row * n + col, sums, n, wmma::mem_row_major);
}
}  // namespace sums_not_filled
