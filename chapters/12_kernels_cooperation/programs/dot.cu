// The dot product of two vectors, as a whole CUDA program with two kernels: the first one writes a
// sum per block, the second one adds these sums. nvcc alone compiles it for a GPU.
// prints: 100000 products, 64 blocks
// prints: the GPU's sum: 299996
// prints: the host's sum: 299996
#include <cstdio>
#include <cstdlib>
#include <vector>

// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

// anchor: kernels
__global__ void sums_of_products(const float* a, const float* b, float* sums, int n) {
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i] * b[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void add_sums(const float* sums, float* result, int count) {
  const int t = threadIdx.x;
  const float sum = sum_of_block(t < count ? sums[t] : 0.0f);
  if (t == 0) *result = sum;
}
// anchor end

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 100000, blocks = 64;
  std::vector<float> a(n), b(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 3;
    b[i] = i % 5 + 1;
    expected += a[i] * b[i];
  }
  float *gpu_a, *gpu_b, *sums, *result, sum = 0;
  check(cudaMalloc(&gpu_a, n * sizeof(float)));
  check(cudaMalloc(&gpu_b, n * sizeof(float)));
  check(cudaMalloc(&sums, blocks * sizeof(float)));
  check(cudaMalloc(&result, sizeof(float)));
  check(cudaMemcpy(gpu_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(gpu_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  // anchor: launches
  sums_of_products<<<blocks, 256>>>(gpu_a, gpu_b, sums, n);
  check(cudaGetLastError());
  add_sums<<<1, 256>>>(sums, result, blocks);  // the same stream: starts after the first kernel
  check(cudaGetLastError());
  check(cudaMemcpy(&sum, result, sizeof(float), cudaMemcpyDeviceToHost));
  // anchor end
  for (float* memory : {gpu_a, gpu_b, sums, result}) check(cudaFree(memory));
  std::printf("%d products, %d blocks\nthe GPU's sum: %.0f\nthe host's sum: %.0f\n", n, blocks, sum,
              expected);
  return sum == expected ? 0 : 1;
}
