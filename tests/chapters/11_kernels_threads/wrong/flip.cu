#include "kernels.h"

#include "simt/exercise.h"

// answer: no_guard_for_columns
// expect: 2 rows and 3 columns with blocks of (2, 2)
// Right where the columns fill whole blocks. Elsewhere a thread past the last column writes to the
// next row.
namespace no_guard_for_columns {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
}  // namespace no_guard_for_columns

// answer: no_guard_for_rows
// expect: past the end of
// Right on the example, whose rows fill whole blocks.
namespace no_guard_for_rows {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
}  // namespace no_guard_for_rows

// answer: guard_by_index
// expect: 2 rows and 3 columns with blocks of (2, 2)
// Tests the index in the matrix alone: a thread past the last column has one in the next row.
namespace guard_by_index {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = r * cols + c;
  if (i < rows * cols) out[i] = in[r * cols + (cols - 1 - c)];
}
}  // namespace guard_by_index

// answer: x_is_the_row
// expect: 16 rows and 96 columns with blocks of (32, 8)
// Right where the grid covers the matrix both ways, as in a square or in the example.
namespace x_is_the_row {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
}  // namespace x_is_the_row

// answer: rows_times_r
// expect: 2 rows and 3 columns with blocks of (2, 2)
// Right for squares: a row has `cols` elements, so rows are that far apart.
namespace rows_times_r {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * rows + c] = in[r * rows + (cols - 1 - c)];
}
}  // namespace rows_times_r

// answer: one_too_far
// expect: 2 rows and 3 columns with blocks of (2, 2)
// The last column is cols - 1.
namespace one_too_far {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - c)];
}
}  // namespace one_too_far

// answer: square_blocks
// expect: with blocks of (32, 8)
// Right for square blocks, as in the example: the height of a block is blockDim.y.
namespace square_blocks {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.x + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
}  // namespace square_blocks

// answer: walks_rows
// expect: requests to global memory, at most 512 are needed
// Right, but the first thread of each row of threads copies a whole row of the image.
namespace walks_rows {
__global__ void flip(const float* in, float* out, int rows, int cols) {
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || blockIdx.x > 0 || threadIdx.x > 0) return;
  for (int c = 0; c < cols; ++c) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
}  // namespace walks_rows
