// Dynamic shared memory, kernels that are templates, a launch in a macro and one in a namespace.
// prints: 3000
// prints: 388.5
// prints: 2 4 6
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace sums {

template <class T, int kPerThread = 2>
__global__ void partial(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* tile = reinterpret_cast<T*>(raw);
  T sum = 0;
  for (int k = 0; k < kPerThread; ++k) {
    const unsigned i = (blockIdx.x * kPerThread + k) * blockDim.x + threadIdx.x;
    if (i < n) sum += in[i];
  }
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) tile[threadIdx.x] += tile[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

__global__ void scale(float* data, int n, float factor = 2.0f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] *= factor;
}

}  // namespace sums

#define LAUNCH(kernel, blocks, threads, shared, ...) \
  kernel<<<blocks, threads, shared>>>(__VA_ARGS__)

template <class T>
T sum_of(int n, T first) {
  const int threads = 128, blocks = (n + 2 * threads - 1) / (2 * threads);
  std::vector<T> in(n, first), out(blocks);
  T *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(T));
  cudaMalloc(&d_out, blocks * sizeof(T));
  cudaMemcpy(d_in, in.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  sums::partial<T, 2><<<blocks, dim3(threads, 1, 1), threads * sizeof(T)>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, blocks * sizeof(T), cudaMemcpyDeviceToHost);
  T all = 0;
  for (T part : out) all += part;
  LAUNCH(sums::partial, blocks, threads, threads * sizeof(T), d_in, d_out, (unsigned)n);
  cudaFree(d_in);
  cudaFree(d_out);
  return all;
}

int main() {
  printf("%d\n", sum_of<int>(1000, 3));
  printf("%.1f\n", sum_of<double>(777, 0.5));
  float* data;
  cudaMallocManaged(&data, 4 * sizeof(float));
  for (int i = 0; i < 4; ++i) data[i] = i;
  sums::scale<<<1, 32>>>(data, 4);
  cudaDeviceSynchronize();
  printf("%g %g %g\n", data[1], data[2], data[3]);
  cudaFree(data);
  return cudaGetLastError() != cudaSuccess;
}
