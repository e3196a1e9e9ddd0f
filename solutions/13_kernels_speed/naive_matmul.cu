// naive_matmul: exercise 13.naive_matmul, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  // blank: The row and the column of this thread, a test, and a loop over k. 6 lines.
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  //! Neighbors in a warp are in one row.
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
  // end
}
