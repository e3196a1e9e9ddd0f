// C = A B, one thread per element. Each thread loads a row of A and a column of B.
// prints: naive: 128 x 128, 0 wrong elements
#include "product.h"

// anchor: kernel
__global__ void product_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0;
  for (int p = 0; p < n; ++p) sum += a[row * n + p] * b[p * n + col];
  c[row * n + col] = sum;
}
// anchor end

int main() {
  return run_product("naive", [](const float* a, const float* b, float* c, int n) {
    product_naive<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, b, c, n);
  });
}
