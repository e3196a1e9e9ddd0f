#include "kernels.h"

// answer: pointers_and_fmaf
// Walks along a row of A and a column of B by pointers, and adds with fmaf inside of the test.
namespace pointers_and_fmaf {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < m) {
    const float *left = a + y * k, *right = b + x;
    float sum = 0;
    for (; left != a + (y + 1) * k; ++left, right += n) sum = fmaf(*left, *right, sum);
    c[y * n + x] = sum;
  }
}
}  // namespace pointers_and_fmaf
