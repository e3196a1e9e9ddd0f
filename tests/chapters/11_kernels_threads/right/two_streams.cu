#include "kernels.h"

#include <cstring>

// answer: breadth_first
// Step by step for both halves, in streams that the default one waits for; waits once.
namespace breadth_first {

__global__ void double_elements(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int double_in_halves(float* host, int n) {
  const int half = n / 2, bytes = half * sizeof(float);
  float* gpu[2];
  cudaStream_t streams[2];
  for (int h : {0, 1})
    if (cudaError_t error = cudaStreamCreate(&streams[h])) return error;
  for (int h : {0, 1}) cudaMallocAsync(&gpu[h], bytes, streams[h]);
  for (int h : {0, 1})
    cudaMemcpyAsync(gpu[h], host + h * half, bytes, cudaMemcpyDefault, streams[h]);
  for (int h : {0, 1}) double_elements<<<half / 64 + 1, 64, 0, streams[h]>>>(gpu[h], half);
  for (int h : {0, 1})
    cudaMemcpyAsync(host + h * half, gpu[h], bytes, cudaMemcpyDefault, streams[h]);
  const cudaError_t error = cudaDeviceSynchronize();
  for (int h : {0, 1}) cudaFree(gpu[h]);
  for (int h : {0, 1}) cudaStreamDestroy(streams[h]);
  return error;
}

int double_array(float* elements, int n) {
  float* pinned = nullptr;
  cudaError_t error = cudaMallocHost(&pinned, n * sizeof(float));
  if (error) return error;
  std::memcpy(pinned, elements, n * sizeof(float));
  const int result = double_in_halves(pinned, n);
  std::memcpy(elements, pinned, n * sizeof(float));
  cudaFreeHost(pinned);
  return result;
}

}  // namespace breadth_first
