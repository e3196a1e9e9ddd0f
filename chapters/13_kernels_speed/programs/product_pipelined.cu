// C = A B with 4 x 4 sums per thread, loads of 16 bytes, and asynchronous copies of the next tiles.
// n is a multiple of 64.
// prints: pipelined: 128 x 128, 0 wrong elements
#include <cuda_pipeline.h>

#include "product.h"

struct Tiles {  // a pair of tiles; a row of each begins at a multiple of 16 bytes
  alignas(16) float a[64][16], b[16][64];
};

// anchor: start
// Starts to copy the tiles that begin at p = first: 16 bytes of each per thread.
__device__ void start(Tiles& to, const float* a, const float* b, int n, int first) {
  const int t = threadIdx.x, row = blockIdx.y * 64, col = blockIdx.x * 64;
  const int ay = t / 4, ax = t % 4 * 4, by = t / 16, bx = t % 16 * 4;
  __pipeline_memcpy_async(&to.a[ay][ax], &a[(row + ay) * n + first + ax], 16);
  __pipeline_memcpy_async(&to.b[by][bx], &b[(first + by) * n + col + bx], 16);
  __pipeline_commit();
}
// anchor end

// Adds the products of a pair of tiles: five loads of shared memory for 16 products.
__device__ void multiply(const Tiles& tiles, int tx, int ty, float4 sum[4]) {
  for (int p = 0; p < 16; ++p) {
    const float4 right = *reinterpret_cast<const float4*>(&tiles.b[p][4 * tx]);
    for (int i = 0; i < 4; ++i) {
      const float left = tiles.a[ty + 16 * i][p];
      sum[i].x += left * right.x;
      sum[i].y += left * right.y;
      sum[i].z += left * right.z;
      sum[i].w += left * right.w;
    }
  }
}

__global__ void product_pipelined(const float* a, const float* b, float* c, int n) {
  __shared__ Tiles tiles[2];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float4 sum[4] = {};
  // anchor: loop
  start(tiles[0], a, b, n, 0);
  for (int first = 0, now = 0; first < n; first += 16, now = 1 - now) {
    __pipeline_wait_prior(0);  // this thread's copies have arrived
    __syncthreads();           // and those of all others; nobody reads the other pair any more
    if (first + 16 < n) start(tiles[1 - now], a, b, n, first + 16);
    multiply(tiles[now], tx, ty, sum);
  }
  // anchor end
  const int row = blockIdx.y * 64 + ty, col = blockIdx.x * 64 + 4 * tx;
  for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(&c[(row + 16 * i) * n + col]) = sum[i];
}

int main() {
  return run_product("pipelined", [](const float* a, const float* b, float* c, int n) {
    product_pipelined<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
  });
}
