// C = A B with tiles of 16 x 16 in shared memory. n is a multiple of 16.
// prints: tiles: 128 x 128, 0 wrong elements
#include "product.h"

// anchor: kernel
__global__ void product_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int first = 0; first < n; first += 16) {
    tile_a[ty][tx] = a[row * n + first + tx];
    tile_b[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < 16; ++p) sum += tile_a[ty][p] * tile_b[p][tx];
    __syncthreads();  // nobody needs them any more
  }
  c[row * n + col] = sum;
}
// anchor end

int main() {
  return run_product("tiles", [](const float* a, const float* b, float* c, int n) {
    product_tiles<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
  });
}
