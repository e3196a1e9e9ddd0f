#include "kernels.h"

// answer: weights_transposed
// expect: expected
// Right for symmetric weights: dr belongs to the rows.
namespace weights_transposed {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[10][34];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  for (int j = y * 32 + x; j < 340; j += 256) {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    s[j / 34][j % 34] = inside ? in[r * cols + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dc + dr] * s[y + dr][x + dc];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace weights_transposed

// answer: halo_of_zeros
// expect: expected
// Right for one tile. Between tiles the neighbors exist.
namespace halo_of_zeros {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[10][34];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  for (int j = y * 32 + x; j < 340; j += 256) {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool own = j / 34 > 0 && j / 34 < 9 && j % 34 > 0 && j % 34 < 33;
    const bool inside = own && r >= 0 && r < rows && c >= 0 && c < cols;
    s[j / 34][j % 34] = inside ? in[r * cols + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dr + dc] * s[y + dr][x + dc];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace halo_of_zeros

// answer: rows_run_together
// expect: expected
// Tests the index alone: the left neighbor of column 0 is then the end of the row before.
namespace rows_run_together {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[10][34];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  for (int j = y * 32 + x; j < 340; j += 256) {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool inside = r * cols + c >= 0 && r * cols + c < rows * cols;
    s[j / 34][j % 34] = inside ? in[r * cols + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dr + dc] * s[y + dr][x + dc];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace rows_run_together

// answer: one_element_per_thread
// expect: that no thread has written since the block began
// 256 threads load 256 of the 340 elements.
namespace one_element_per_thread {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[10][34];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  const int j = y * 32 + x;
  {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    s[j / 34][j % 34] = inside ? in[r * cols + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dr + dc] * s[y + dr][x + dc];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace one_element_per_thread

// answer: no_barrier
// expect: … while thread
// Another thread may not have stored its elements yet.
namespace no_barrier {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[10][34];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  for (int j = y * 32 + x; j < 340; j += 256) {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    s[j / 34][j % 34] = inside ? in[r * cols + c] : 0.0f;
  }
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dr + dc] * s[y + dr][x + dc];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace no_barrier

// answer: tile_by_columns
// expect: passes to load from shared memory, at most
// Right, but neighboring threads read words that are ten apart, of which each second bank has two.
namespace tile_by_columns {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[34][10];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  for (int j = y * 32 + x; j < 340; j += 256) {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    s[j % 34][j / 34] = inside ? in[r * cols + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dr + dc] * s[x + dc][y + dr];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace tile_by_columns

// answer: threads_outside_return
// expect: that no thread has written since the block began
// Right where the tiles fill the matrix. Otherwise the threads that return load nothing.
namespace threads_outside_return {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  __shared__ float s[10][34];  // The tile of 8 x 32 with a halo of one element on each side.
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  if (row >= rows || col >= cols) return;
  for (int j = y * 32 + x; j < 340; j += 256) {
    const int r = blockIdx.y * 8 + j / 34 - 1, c = blockIdx.x * 32 + j % 34 - 1;
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    s[j / 34][j % 34] = inside ? in[r * cols + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dr = 0; dr < 3; ++dr)
    for (int dc = 0; dc < 3; ++dc) sum += weight[3 * dr + dc] * s[y + dr][x + dc];
  if (row < rows && col < cols) out[row * cols + col] = sum;
}
}  // namespace threads_outside_return

// answer: without_shared_memory
// expect: loads of `in` by a thread, at most 2800 are needed
// Right, but each element is loaded nine times.
namespace without_shared_memory {
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float sum = 0;
  for (int r = row - 1; r <= row + 1; ++r)
    for (int c = col - 1; c <= col + 1; ++c)
      if (r >= 0 && r < rows && c >= 0 && c < cols)
        sum += weight[3 * (r - row + 1) + c - col + 1] * in[r * cols + c];
  out[row * cols + col] = sum;
}
}  // namespace without_shared_memory
