// launch_shape: exercise 11.launch_shape, declared in kernels.h.
#include <cuda_runtime.h>

#include "kernels.h"
#include "td/exercise.h"

__global__ void fill_index(float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
    out[r * cols + c] = r * cols + c;
}

int launch_shape(float* out, int rows, int cols, int block_x, int block_y) {
  // blank: The block, the grid with its limit in `.y`, the launch, its error. 4 lines.
  const dim3 block(block_x, block_y);
  const dim3 grid((cols + block_x - 1) / block_x, min((rows + block_y - 1) / block_y, 65535));
  fill_index<<<grid, block>>>(out, rows, cols);
  return cudaGetLastError();
  // end
}

int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y) {
  float* gpu = nullptr;
  const size_t bytes = sizeof(float) * rows * cols;
  cudaError_t error = cudaMalloc(&gpu, bytes);
  const int launched = error ? error : launch_shape(gpu, rows, cols, block_x, block_y);
  if (!launched) error = cudaMemcpy(elements, gpu, bytes, cudaMemcpyDeviceToHost);
  cudaFree(gpu);
  return launched ? launched : error;
}
