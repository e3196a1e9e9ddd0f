// add_on_gpu: exercise 11.add_on_gpu, declared in kernels.h.
#include <cuda_runtime.h>

#include "kernels.h"
#include "td/exercise.h"

__global__ void add_elements(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  // blank: Allocate, copy to the device, launch, copy back; free on every path. About 14 lines.
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();  // of the launch itself
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);  // waits for the kernel
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
  // end
}
