// tensor_matmul: exercise 13.tensor_matmul, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

using namespace nvcuda;

__global__ void tensor_matmul(const half* a, const half* b, float* c, int /*m*/, int n, int k) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  // blank: Per step, load a tile of A and one of B, and multiply them. 5 lines.
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(tile_a, a + row * k + p, k);
    wmma::load_matrix_sync(tile_b, b + p * n + col, n);
    wmma::mma_sync(sums, tile_a, tile_b, sums);
  }
  // end
  wmma::store_matrix_sync(c + row * n + col, sums, n, wmma::mem_row_major);
}
