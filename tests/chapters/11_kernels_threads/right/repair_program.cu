#include "kernels.h"

#include <cstring>

// answer: blocking_copies
// Objects free the memory. cudaMemcpy waits for the stream, so there is no other wait; where the
// columns fill whole blocks, the grid has a block too many.
namespace blocking_copies {

__global__ void scale_elements(float* matrix, const float* scale, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) matrix[r * cols + c] *= scale[c];
}

struct DeviceMemory {
  float* begin = nullptr;
  ~DeviceMemory() { cudaFree(begin); }
};

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  const size_t bytes = sizeof(float) * rows * cols;
  DeviceMemory elements, factors;
  if (auto error = cudaMalloc(&elements.begin, bytes)) return error;
  if (auto error = cudaMalloc(&factors.begin, cols * sizeof(float))) return error;
  if (auto error = cudaMemcpy(elements.begin, matrix, bytes, cudaMemcpyDefault)) return error;
  if (auto error = cudaMemcpy(factors.begin, scale, cols * sizeof(float), cudaMemcpyDefault))
    return error;
  const dim3 grid(cols / 32 + 1, rows / block_rows + 1), block(32, block_rows);
  scale_elements<<<grid, block>>>(elements.begin, factors.begin, rows, cols);
  if (auto error = cudaGetLastError()) return error;
  return cudaMemcpy(matrix, elements.begin, bytes, cudaMemcpyDefault);
}

}  // namespace blocking_copies

// answer: waits_for_an_event
// The copy back and the wait happen also after an error of the launch, which is returned last.
namespace waits_for_an_event {

__global__ void scale_elements(float* matrix, const float* scale, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) matrix[r * cols + c] *= scale[c];
}

int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows) {
  int devices = 0;
  if (auto error = cudaGetDeviceCount(&devices)) return error;
  const size_t matrix_bytes = sizeof(float) * rows * cols, scale_bytes = sizeof(float) * cols;
  float *pinned, *gpu;
  cudaStream_t stream;
  cudaEvent_t copied;
  cudaMallocHost(&pinned, matrix_bytes + scale_bytes);
  cudaMalloc(&gpu, matrix_bytes + scale_bytes);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&copied);
  const int size = rows * cols;
  std::memcpy(pinned, matrix, matrix_bytes);
  std::memcpy(pinned + size, scale, scale_bytes);
  cudaMemcpyAsync(gpu, pinned, matrix_bytes + scale_bytes, cudaMemcpyHostToDevice, stream);
  const dim3 grid((cols - 1) / 32 + 1, (rows - 1) / block_rows + 1), block(32, block_rows);
  scale_elements<<<grid, block, 0, stream>>>(gpu, gpu + size, rows, cols);
  const cudaError_t launched = cudaGetLastError();
  cudaMemcpyAsync(pinned, gpu, matrix_bytes, cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(copied, stream);
  cudaEventSynchronize(copied);
  std::memcpy(matrix, pinned, matrix_bytes);
  cudaEventDestroy(copied);
  cudaStreamDestroy(stream);
  cudaFree(gpu);
  cudaFreeHost(pinned);
  return launched;
}

}  // namespace waits_for_an_event
