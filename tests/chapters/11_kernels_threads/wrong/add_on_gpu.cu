#include "kernels.h"

#include "td/exercise.h"

// The given kernel, which all answers launch.
__global__ void add_elements(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// answer: host_pointers
// expect: n = 1024 with blocks of 256:
// Passes arrays of the host to the kernel: a GPU cannot read them.
namespace host_pointers {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(a, b, gpu_c, n);
    error = cudaGetLastError();
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace host_pointers

// answer: launch_not_checked
// expect: expected error 9, and it returned
// Right where the launch is valid: it never asks for the error of the launch.
namespace launch_not_checked {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace launch_not_checked

// answer: rounds_down
// expect: n = 1 with blocks of 128
// Right where n is a multiple of the block size.
namespace rounds_down {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<n / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace rounds_down

// answer: leak_after_an_error
// expect: a leak of
// Frees its memory only where everything went well.
namespace leak_after_an_error {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    if ((error = cudaGetLastError())) return error;
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace leak_after_an_error

// answer: leak
// expect: a leak of 4096 bytes in 1 block
// Frees the arguments, but not the result.
namespace leak {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b}) cudaFree(memory);
  return error;
}

}  // namespace leak

// answer: wrong_direction
// expect: cudaMemcpy
// Copies the second argument in the wrong direction.
namespace wrong_direction {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyDeviceToHost);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace wrong_direction

// answer: host_reads
// expect: the host reads memory of the device
// Reads the result where the host cannot: it needs a copy.
namespace host_reads {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();
  }
  for (int i = 0; i < n && !error; ++i) c[i] = gpu_c[i];
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace host_reads

// answer: elements_not_bytes
// expect: n = 1024 with blocks of 256
// Copies n bytes, which are a quarter of the elements.
namespace elements_not_bytes {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaMalloc(&gpu_a, bytes);
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();
  }
  if (!error) error = cudaMemcpy(c, gpu_c, n, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace elements_not_bytes

// answer: errors_ignored
// expect: expected error 100, and it returned 0
// Returns no error at all where there is no device.
namespace errors_ignored {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  const size_t bytes = n * sizeof(float);
  float *gpu_a = nullptr, *gpu_b = nullptr, *gpu_c = nullptr;
  cudaError_t error = cudaSuccess;
  if (cudaMalloc(&gpu_a, bytes)) return 0;
  if (!error) error = cudaMalloc(&gpu_b, bytes);
  if (!error) error = cudaMalloc(&gpu_c, bytes);
  if (!error) error = cudaMemcpy(gpu_a, a, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(gpu_b, b, bytes, cudaMemcpyHostToDevice);
  if (!error) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(gpu_a, gpu_b, gpu_c, n);
    error = cudaGetLastError();
  }
  if (!error) error = cudaMemcpy(c, gpu_c, bytes, cudaMemcpyDeviceToHost);
  for (float* memory : {gpu_a, gpu_b, gpu_c}) cudaFree(memory);
  return error;
}

}  // namespace errors_ignored

// answer: on_the_host
// expect: expected a launch of add_elements…; launched: nothing
// Adds on the host, and launches nothing.
namespace on_the_host {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  if (threads > 1024) return cudaErrorInvalidConfiguration;
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  int count = 0;
  return cudaGetDeviceCount(&count);
}

}  // namespace on_the_host

// answer: peeks
// expect: the next call has a valid launch
// cudaPeekAtLastError() returns the error and keeps it, so the next call returns it again.
namespace peeks {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  float *x = nullptr, *y = nullptr, *z = nullptr;
  const size_t bytes = n * sizeof(float);
  cudaError_t e = cudaMalloc(&x, bytes);
  if (!e) e = cudaMalloc(&y, bytes);
  if (!e) e = cudaMalloc(&z, bytes);
  if (!e) e = cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
  if (!e) e = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!e) {
    add_elements<<<(n + threads - 1) / threads, threads>>>(x, y, z, n);
    e = cudaPeekAtLastError();
  }
  if (!e) e = cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return e;
}

}  // namespace peeks

// answer: ignores_threads
// expect: expected a launch of add_elements with block (128)
// Right results, in blocks of 256 threads whatever the caller asks for.
namespace ignores_threads {

int add_on_gpu(const float* a, const float* b, float* c, int n, int threads) {
  float *x = nullptr, *y = nullptr, *z = nullptr;
  const size_t bytes = n * sizeof(float);
  cudaError_t e = cudaMalloc(&x, bytes);
  if (!e) e = cudaMalloc(&y, bytes);
  if (!e) e = cudaMalloc(&z, bytes);
  if (!e) e = cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
  if (!e) e = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!e) {
    if (threads > 1024)
      e = cudaErrorInvalidConfiguration;
    else {
      add_elements<<<(n + 255) / 256, 256>>>(x, y, z, n);
      e = cudaGetLastError();
    }
  }
  if (!e) e = cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return e;
}

}  // namespace ignores_threads
