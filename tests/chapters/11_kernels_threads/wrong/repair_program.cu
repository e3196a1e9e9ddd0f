#include "kernels.h"

#include <cstring>

#include "td/exercise.h"

// The given kernel, which all answers launch.
__global__ void scale_elements(float* matrix, const float* scale, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) matrix[r * cols + c] *= scale[c];
}

// What the answers share: memory, a stream and the copies to the device, as in the exercise.
struct Work {
  float *pinned = nullptr, *matrix = nullptr, *scale = nullptr;
  cudaStream_t stream = nullptr;
  size_t bytes = 0;
  dim3 block, grid;
};

static cudaError_t begin(Work& work, const float* matrix, const float* scale, int rows, int cols,
                         int block_rows) {
  work.bytes = rows * cols * sizeof(float);
  work.block = dim3(32, block_rows);
  work.grid = dim3((cols + 31) / 32, (rows + block_rows - 1) / block_rows);
  cudaError_t error = cudaMallocHost(&work.pinned, work.bytes);
  if (!error) error = cudaMalloc(&work.matrix, work.bytes);
  if (!error) error = cudaMalloc(&work.scale, cols * sizeof(float));
  if (!error) error = cudaStreamCreate(&work.stream);
  if (!error) error = cudaMemcpy(work.scale, scale, cols * sizeof(float), cudaMemcpyHostToDevice);
  if (error) return error;
  std::memcpy(work.pinned, matrix, work.bytes);
  return cudaMemcpyAsync(work.matrix, work.pinned, work.bytes, cudaMemcpyHostToDevice, work.stream);
}

static cudaError_t copy_back(const Work& work) {
  return cudaMemcpyAsync(work.pinned, work.matrix, work.bytes, cudaMemcpyDeviceToHost, work.stream);
}

static void free_all(const Work& work) {
  if (work.stream) cudaStreamDestroy(work.stream);
  cudaFree(work.matrix);
  cudaFree(work.scale);
  cudaFreeHost(work.pinned);
}

// answer: rounds_down
// expect: 20 x 100 elements in blocks of 32 x 8: row 0, column 96: expected
// Right where the columns fill whole blocks. The last columns get no thread.
namespace rounds_down {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error) {
    work.grid.x = max(cols / 32, 1);
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    error = cudaGetLastError();
  }
  if (!error) error = copy_back(work);
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace rounds_down

// answer: no_wait
// expect: the host reads pinned memory that cudaMemcpyAsync … writes, and has not waited for it
// Right if the copy back happens to end before memcpy begins.
namespace no_wait {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error) {
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    error = cudaGetLastError();
  }
  if (!error) error = copy_back(work);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace no_wait

// answer: waits_too_early
// expect: the host reads pinned memory that cudaMemcpyAsync … writes, and has not waited for it
// Waits for the kernel, but the copy back is queued after that.
namespace waits_too_early {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error) {
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    error = cudaGetLastError();
  }
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) error = copy_back(work);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace waits_too_early

// answer: launch_not_checked
// expect: expected error 9, and it returned 0
// Right where the launch is valid: it never asks for the error of the launch.
namespace launch_not_checked {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error)
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
  if (!error) error = copy_back(work);
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace launch_not_checked

// answer: smaller_blocks
// expect: expected error 9, and it returned 0
// Hides the error: it launches smaller blocks than the caller asked for.
namespace smaller_blocks {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, min(block_rows, 32));
  if (!error) {
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    error = cudaGetLastError();
  }
  if (!error) error = copy_back(work);
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace smaller_blocks

// answer: peeks
// expect: the next call has a valid launch
// cudaPeekAtLastError() returns the error and keeps it, so the next call returns it again.
namespace peeks {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error) {
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    error = cudaPeekAtLastError();
  }
  if (!error) error = copy_back(work);
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace peeks

// answer: leak
// expect: a leak of 384 bytes in 1 block
// Frees the matrix, but not the factors of its columns.
namespace leak {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error) {
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    error = cudaGetLastError();
  }
  if (!error) error = copy_back(work);
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  work.scale = nullptr;
  free_all(work);
  return error;
}

}  // namespace leak

// answer: leak_after_an_error
// expect: a leak of
// Frees everything where the launch is valid, and nothing otherwise.
namespace leak_after_an_error {

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  Work work;
  cudaError_t error = begin(work, matrix, scale, rows, cols, block_rows);
  if (!error) {
    scale_elements<<<work.grid, work.block, 0, work.stream>>>(work.matrix, work.scale, rows, cols);
    if ((error = cudaGetLastError())) return error;
  }
  if (!error) error = copy_back(work);
  if (!error) error = cudaStreamSynchronize(work.stream);
  if (!error) std::memcpy(matrix, work.pinned, work.bytes);
  free_all(work);
  return error;
}

}  // namespace leak_after_an_error

// answer: tests_the_block_itself
// expect: 65537 x 1 elements in blocks of 32 x 1: expected error 9, and it returned 0
// Knows one error of the launch, and does not ask for the others.
namespace tests_the_block_itself {
int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  if (block_rows > 32) return cudaErrorInvalidConfiguration;
  const size_t bytes = rows * cols * sizeof(float);
  float *pinned = nullptr, *gpu_matrix = nullptr, *gpu_scale = nullptr;
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaMallocHost(&pinned, bytes);
  if (!error) error = cudaMalloc(&gpu_matrix, bytes);
  if (!error) error = cudaMalloc(&gpu_scale, cols * sizeof(float));
  if (!error) error = cudaStreamCreate(&stream);
  if (!error) error = cudaMemcpy(gpu_scale, scale, cols * sizeof(float), cudaMemcpyHostToDevice);
  if (!error) {
    std::memcpy(pinned, matrix, bytes);
    error = cudaMemcpyAsync(gpu_matrix, pinned, bytes, cudaMemcpyHostToDevice, stream);
  }
  if (!error) {
    const dim3 block(32, block_rows), grid((cols + 31) / 32, (rows + block_rows - 1) / block_rows);
    scale_elements<<<grid, block, 0, stream>>>(gpu_matrix, gpu_scale, rows, cols);
  }
  if (!error) error = cudaMemcpyAsync(pinned, gpu_matrix, bytes, cudaMemcpyDeviceToHost, stream);
  if (!error) error = cudaStreamSynchronize(stream);
  if (!error) std::memcpy(matrix, pinned, bytes);
  if (stream) cudaStreamDestroy(stream);
  cudaFree(gpu_matrix);
  cudaFree(gpu_scale);
  cudaFreeHost(pinned);
  return error;
}
}  // namespace tests_the_block_itself
