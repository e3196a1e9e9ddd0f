#include "kernels.h"

// answer: rows_on_x
// expect: excessive sectors of global memory
// Every result is right. But neighboring threads compute elements of one column.
namespace rows_on_x {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.x % 8;
  const int col = blockIdx.x * 32 + threadIdx.y * 4 + threadIdx.x / 8;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace rows_on_x

// answer: without_a_test
// expect: reads b[4], past the end of b
// Right where the sizes are multiples of 32 and 8.
namespace without_a_test {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace without_a_test

// answer: one_test_for_both
// expect: reads b[561], past the end of b
// Tests the index of the element instead of its column: a thread after the end of a row
// writes into the next row.
namespace one_test_for_both {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row * n + col >= m * n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace one_test_for_both

// answer: rows_of_b_have_k
// expect: m = 8, n = 32, k = 5: index 0: expected -45, got -29
// Right for square matrices: the distance between two rows of B is n.
namespace rows_of_b_have_k {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * k + col];
  c[row * n + col] = sum;
}
}  // namespace rows_of_b_have_k

// answer: one_block_only
// expect: index 32: expected 20, got -7e+33: this element was never written
// Right for one block: the indices leave out the block.
namespace one_block_only {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = threadIdx.y, col = threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace one_block_only

// answer: adds_in_memory
// expect: 800 store requests, at most 32 are needed
// Adds each product to C in global memory, so it stores each element k times.
namespace adds_in_memory {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  c[row * n + col] = 0;
  for (int p = 0; p < k; ++p) c[row * n + col] += a[row * k + p] * b[p * n + col];
}
}  // namespace adds_in_memory

// answer: int_sum
// expect: m = 9, n = 33, k = 17: index 0
// The sum is an int. Right for integers.
namespace int_sum {

__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  int sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

}  // namespace int_sum

// answer: clamped
// expect: 32 store requests, at most 18 are needed
// Threads outside of C compute and store its last row or column once more.
namespace clamped {
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = min(int(blockIdx.y * blockDim.y + threadIdx.y), m - 1);
  const int col = min(int(blockIdx.x * blockDim.x + threadIdx.x), n - 1);
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace clamped
