// two_streams: exercise 11.two_streams, declared in kernels.h.
#include <cuda_runtime.h>

#include <cstring>

#include "kernels.h"
#include "td/exercise.h"

__global__ void double_elements(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  // blank: For each half a copy, a launch and a copy in its stream; then wait for both. 7 lines.
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  // end
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) {
  float* pinned = nullptr;  // asynchronous copies need memory that the system cannot move
  cudaError_t error = cudaMallocHost(&pinned, n * sizeof(float));
  if (error) return error;
  std::memcpy(pinned, elements, n * sizeof(float));
  const int result = double_in_halves(pinned, n);
  std::memcpy(elements, pinned, n * sizeof(float));
  cudaFreeHost(pinned);
  return result;
}
