// C = A B where each thread keeps 4 x 4 sums in registers. n is a multiple of 64.
// prints: registers: 128 x 128, 0 wrong elements
#include "product.h"

__global__ void product_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[64][16], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + tx;
  float sum[4][4] = {};
  for (int first = 0; first < n; first += 16) {
    for (int i = 0; i < 4; ++i) {
      tile_a[ty + 16 * i][tx] = a[(row + 16 * i) * n + first + tx];
      tile_b[t / 64 + 4 * i][t % 64] = b[(first + t / 64 + 4 * i) * n + blockIdx.x * 64 + t % 64];
    }
    __syncthreads();
    // anchor: products
    for (int p = 0; p < 16; ++p) {
      float left[4], right[4];  // in registers
      for (int i = 0; i < 4; ++i) {
        left[i] = tile_a[ty + 16 * i][p];
        right[i] = tile_b[p][tx + 16 * i];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    // anchor end
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}

int main() {
  return run_product("registers", [](const float* a, const float* b, float* c, int n) {
    product_registers<<<dim3(n / 64, n / 64), dim3(16, 16)>>>(a, b, c, n);
  });
}
