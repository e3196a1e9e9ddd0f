#include "kernels.h"

#include <cstring>

#include "td/exercise.h"

// The given kernel, which all answers launch.
__global__ void double_elements(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

// The given double_array, with the answer's double_in_halves.
static int double_by(decltype(double_in_halves) halves, float* elements, int n) {
  float* pinned = nullptr;
  cudaError_t error = cudaMallocHost(&pinned, n * sizeof(float));
  if (error) return error;
  std::memcpy(pinned, elements, n * sizeof(float));
  const int result = halves(pinned, n);
  std::memcpy(elements, pinned, n * sizeof(float));
  cudaFreeHost(pinned);
  return result;
}

// answer: one_buffer
// expect: in another stream, and nothing orders the two
// Right where the first half is finished in time: the second one is copied over it.
namespace one_buffer {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace one_buffer

// answer: one_stream
// expect: copies and launches that may run while another stream works, found 0
// Right, but both halves are in one stream, one after another.
namespace one_stream {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[0]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[0]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[0]);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace one_stream

// answer: waits_for_each_half
// expect: copies and launches that may run while another stream works, found 0
// Right, but waits for the first half before it queues the second one.
namespace waits_for_each_half {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
    cudaStreamSynchronize(streams[h]);
  }
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace waits_for_each_half

// answer: blocking_copies
// expect: copies and launches that may run while another stream works, found
// Right, but cudaMemcpy waits, so nothing overlaps.
namespace blocking_copies {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaStreamSynchronize(streams[h]);
    cudaMemcpy(from, to, bytes, cudaMemcpyDeviceToHost);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace blocking_copies

// answer: no_wait
// expect: and has not waited for it
// Returns before the copies back have ended.
namespace no_wait {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace no_wait

// answer: waits_for_one
// expect: and has not waited for it
// Waits for the second stream alone.
namespace waits_for_one {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  cudaStreamSynchronize(streams[1]);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace waits_for_one

// answer: kernel_in_the_default_stream
// expect: n = 1000
// Launches in the default stream, which does not wait for the copies.
namespace kernel_in_the_default_stream {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host + h * half, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace kernel_in_the_default_stream

// answer: first_half_twice
// expect: n = 1000
// Doubles the first half in both streams. The order decides what comes of it.
namespace first_half_twice {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *from = host, *to = gpu + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<(half + 255) / 256, 256, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();  // the first error of all these calls
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace first_half_twice

// answer: one_block
// expect: n = 5000: it returned the error
// A block has all threads of a half. Right for halves of at most 1,024 elements.
namespace one_block {

int double_in_halves(float* host, int n) {
  const int half = n / 2;
  const size_t bytes = half * sizeof(float);
  float* gpu = nullptr;
  cudaMalloc(&gpu, 2 * bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int h = 0; h < 2; ++h) {
    float *to = gpu + h * half, *from = host + h * half;
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[h]);
    double_elements<<<1, half, 0, streams[h]>>>(to, half);
    cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[h]);
  }
  for (cudaStream_t s : streams) cudaStreamSynchronize(s);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(gpu);
  return cudaGetLastError();
}

int double_array(float* elements, int n) { return double_by(double_in_halves, elements, n); }

}  // namespace one_block
