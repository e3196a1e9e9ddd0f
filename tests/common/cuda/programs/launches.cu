// Launches in all their forms: functions of the device in a table, lambdas, pointers to kernels,
// cudaLaunchKernel, members, and what occupancy follows from.
// nvcc: --extended-lambda
// prints: hello from 1
// prints: 9
// prints: 6
// prints: 0 cudaSuccess
// prints: 1024 8 1024
#include <cstdio>

using Function = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ Function table[2] = {twice, square};
__global__ void apply(float* data, int which) { data[threadIdx.x] = table[which](threadIdx.x); }
__global__ void hello() { printf("hello from %d\n", threadIdx.x); }

template <class F>
__global__ void each(F f, float* data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] = f(data[threadIdx.x]);
}
struct Plus {
  explicit Plus(float k) : k(k) {}
  ~Plus() {}  // so its copies as an argument are not trivial
  float k;
  __host__ __device__ float operator()(float x) const { return x + k; }
};
__global__ void __launch_bounds__(1024) zero(float* data) { data[threadIdx.x] = 0; }

class Image {
 public:
  explicit Image(int n) : n_(n) { cudaMalloc(&data_, n * sizeof(float)); }
  ~Image() { cudaFree(data_); }
  void run() {
    zero<<<1, n_>>>(data_);
    each<<<1, n_>>>(Plus{3}, data_, n_);
    auto doubled = [] __device__(float x) { return x * 2; };
    each<<<1, n_>>>(doubled, data_, n_);
    void (*kernel)(float*) = zero;
    if (n_ > 100) (*kernel)<<<1, 1>>>(data_);
    if (n_ > 100) kernel<<<1, 1>>>(NULL);
  }
  float* data() { return data_; }

 private:
  int n_;
  float* data_;
};

int main() {
  float values[32];
  hello<<<1, 2>>>();
  cudaDeviceSynchronize();
  Image image(32);
  apply<<<1, 4>>>(image.data(), 1);
  cudaMemcpy(values, image.data(), 16, cudaMemcpyDeviceToHost);
  printf("%g\n", values[3]);
  image.run();
  cudaMemcpy(values, image.data(), sizeof values, cudaMemcpyDeviceToHost);
  printf("%g\n", values[31]);

  float* data = image.data();
  void* arguments[] = {&data};
  cudaLaunchKernel((void*)zero, dim3(1), dim3(32), arguments, 0, 0);
  cudaLaunchKernel(reinterpret_cast<const void*>(&zero), 1, 32, arguments, 0, 0);
  cudaLaunchCooperativeKernel(zero, 1, 32, arguments);
  cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
  printf("%g %s\n", values[31], cudaGetErrorName(cudaPeekAtLastError()));

  int grid = 0, block = 0, active = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, zero, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, zero, 256, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, zero);
  printf("%d %d %d\n", block, active, attributes.maxThreadsPerBlock);
}
