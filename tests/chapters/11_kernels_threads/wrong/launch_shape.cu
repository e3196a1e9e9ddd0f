#include <algorithm>

#include "kernels.h"

#include "td/exercise.h"

// The given kernel, which all answers launch.
__global__ void fill_index(float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
    out[r * cols + c] = r * cols + c;
}

// The given fill_matrix, with the answer's launch_shape.
static int fill_by(decltype(launch_shape) launch, float* elements, int rows, int cols, int block_x,
                   int block_y) {
  float* gpu = nullptr;
  const size_t bytes = sizeof(float) * rows * cols;
  cudaError_t error = cudaMalloc(&gpu, bytes);
  const int launched = error ? error : launch(gpu, rows, cols, block_x, block_y);
  if (!launched) error = cudaMemcpy(elements, gpu, bytes, cudaMemcpyDeviceToHost);
  cudaFree(gpu);
  return launched ? launched : error;
}

// answer: no_limit
// expect: 70000 rows and 3 columns in blocks of (3, 1)
// Right up to 65,535 blocks of rows. With more, CUDA refuses the launch.
namespace no_limit {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x, (rows + block_y - 1) / block_y);
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace no_limit

// answer: rounds_down
// expect: expected a launch of fill_index: grid (2,13), block (32,8)
// Right where rows and columns fill whole blocks; the loop of the kernel does the other rows.
namespace rounds_down {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x, max(rows / block_y, 1));
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace rounds_down

// answer: columns_round_down
// expect: 100 rows and 40 columns in blocks of (32, 8)
// Right where the columns fill whole blocks.
namespace columns_round_down {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid(max(cols / block_x, 1), (rows + block_y - 1) / block_y);
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace columns_round_down

// answer: x_is_rows
// expect: expected a launch of fill_index: grid (2,13), block (32,8)
// The rows in `.x`. Right for square matrices in square blocks.
namespace x_is_rows {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((rows + block_y - 1) / block_y, min((cols + block_x - 1) / block_x, 65535));
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace x_is_rows

// answer: one_dimension
// expect: expected a launch of fill_index: grid (2,13), block (32,8)
// A grid of one row of blocks. Every result is right, because the kernel has a loop.
namespace one_dimension {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x);
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace one_dimension

// answer: always_128
// expect: expected a launch of fill_index: grid (2,13), block (32,8)
// The same grid for every size. Every result is right, but most threads have nothing to do.
namespace always_128 {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x, 128);
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace always_128

// answer: one_too_many
// expect: expected a launch of fill_index: grid (1), block (32,8)
// One block too many where the matrix fills whole blocks.
namespace one_too_many {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid(cols / block_x + 1, min(rows / block_y + 1, 65535));
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace one_too_many

// answer: error_not_asked
// expect: expected error 9, and it returned 0
// Right where the launch is valid.
namespace error_not_asked {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x, min((rows + block_y - 1) / block_y, 65535));
  fill_index<<<grid, block>>>(out, rows, cols);
  return 0;
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace error_not_asked

// answer: block_and_grid_exchanged
// expect: expected a launch of fill_index: grid (2,13), block (32,8)
// The block comes second in <<<grid, block>>>.
namespace block_and_grid_exchanged {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x, min((rows + block_y - 1) / block_y, 65535));
  fill_index<<<block, grid>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace block_and_grid_exchanged

// answer: limits_both
// expect: 2 rows and 70000 columns in blocks of (1, 2)
// Limits `.x`, too. Right up to 65,535 blocks of columns.
namespace limits_both {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y), grid(std::min(65535, (cols + block_x - 1) / block_x),
                                           std::min(65535, (rows + block_y - 1) / block_y));
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace limits_both

// answer: peeks
// expect: the next call has a valid launch
// cudaPeekAtLastError() returns the error and keeps it, so the next call returns it again.
namespace peeks {

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  const dim3 block(block_x, block_y),
      grid((cols + block_x - 1) / block_x, std::min(65535, (rows + block_y - 1) / block_y));
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaPeekAtLastError();
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  return fill_by(launch_shape, elements, rows, cols, block_x, block_y);
}

}  // namespace peeks
