#include "kernels.h"

#include "simt/exercise.h"

// answer: exchanged
// expect: past the end of
// Reads the column by c and the row by r. Right for squares with equal arguments.
namespace exchanged {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = column[c] + row[r];
}
}  // namespace exchanged

// answer: no_guard
// expect: past the end of
// Right where the result fills whole blocks.
namespace no_guard {
__global__ void broadcast_add(const float* column, const float* row, float* out, int, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  out[r * cols + c] = column[r] + row[c];
}
}  // namespace no_guard

// answer: reads_before_the_test
// expect: past the end of
// Writes nothing past the end, but reads both arguments before the test.
namespace reads_before_the_test {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  const float left = column[r], right = row[c];
  if (r < rows && c < cols) out[r * cols + c] = left + right;
}
}  // namespace reads_before_the_test

// answer: guard_of_a_square
// expect: 2 rows and 3 columns with blocks of (32, 8)
// Tests both against the number of rows. Right where the result is a square.
namespace guard_of_a_square {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < rows) out[r * cols + c] = column[r] + row[c];
}
}  // namespace guard_of_a_square

// answer: by_columns
// expect: 16 rows and 96 columns with blocks of (32, 8)
// `.x` counts rows here. The grid covers the result only if it covers it both ways.
namespace by_columns {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = column[r] + row[c];
}
}  // namespace by_columns

// answer: adds_to_the_result
// expect: this element was never written
// Right where `out` holds zeros.
namespace adds_to_the_result {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] += column[r] + row[c];
}
}  // namespace adds_to_the_result

// answer: a_row_per_thread
// expect: requests to global memory, at most 768 are needed
// Right, but the threads of column 0 compute whole rows, one after another.
namespace a_row_per_thread {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (blockIdx.x > 0 || threadIdx.x > 0 || r >= rows) return;
  for (int c = 0; c < cols; ++c) out[r * cols + c] = column[r] + row[c];
}
}  // namespace a_row_per_thread

// answer: shared_of_32
// expect: 3 rows and 130 columns with blocks of (128, 2)
// Right in blocks of at most 32 threads in each direction. The arrays have no more elements.
namespace shared_of_32 {

__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  __shared__ float left[32], top[32];
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (threadIdx.y == 0 && c < cols) top[threadIdx.x] = row[c];
  if (threadIdx.x == 0 && r < rows) left[threadIdx.y] = column[r];
  __syncthreads();
  if (r < rows && c < cols) out[r * cols + c] = left[threadIdx.y] + top[threadIdx.x];
}

}  // namespace shared_of_32

// answer: flat_test
// expect: stores to `out` by a thread
// A thread past the last column computes an element of the next row once more. The results are
// right.
namespace flat_test {
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = r * cols + c;
  if (i < rows * cols) out[i] = column[i / cols] + row[i % cols];
}
}  // namespace flat_test
