// main.cpp without td: a whole CUDA program. nvcc alone compiles it, and it needs a GPU.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scaled_add(const float* x, const float* y, float factor, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + factor * y[i];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// anchor: main
int main() {
  const int n = 1000;
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> x(n), y(n, 1), out(n);
  for (int i = 0; i < n; ++i) x[i] = i;

  float *gpu_x, *gpu_y, *gpu_out;  // td::empty({n}, "cuda")
  for (float** memory : {&gpu_x, &gpu_y, &gpu_out}) check(cudaMalloc(memory, bytes));
  check(cudaMemcpy(gpu_x, x.data(), bytes, cudaMemcpyHostToDevice));  // x.to("cuda")
  check(cudaMemcpy(gpu_y, y.data(), bytes, cudaMemcpyHostToDevice));
  scaled_add<<<(n + 255) / 256, 256>>>(gpu_x, gpu_y, 0.5f, gpu_out, n);
  check(cudaGetLastError());                                              // of the launch itself
  check(cudaMemcpy(out.data(), gpu_out, bytes, cudaMemcpyDeviceToHost));  // out.cpu(): waits
  for (float* memory : {gpu_x, gpu_y, gpu_out}) check(cudaFree(memory));
  std::printf("the first three: %g %g %g\n", out[0], out[1], out[2]);
}
// anchor end
