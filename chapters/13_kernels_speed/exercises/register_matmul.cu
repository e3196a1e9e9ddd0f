// register_matmul: exercise 13.register_matmul, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

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
      // Your code here: Load four elements of each tile into variables, and add 16 products. 6 lines.
      td::not_done_yet("register_matmul");
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 16 * i < m && col + 16 * j < n) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}
