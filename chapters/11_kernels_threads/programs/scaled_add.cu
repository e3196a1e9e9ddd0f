// A whole CUDA program: out = x + 0.5 * y.
// prints: the first three: 0.5 1.5 2.5
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scaled_add(const float* x, const float* y, float factor, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // the index of this thread in the grid
  if (i < n) out[i] = x[i] + factor * y[i];             // the last threads have no element
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 1000;
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> x(n), y(n, 1), out(n);
  for (int i = 0; i < n; ++i) x[i] = i;

  float *gpu_x, *gpu_y, *gpu_out;  // td::empty({n}, "cuda")
  check(cudaMalloc(&gpu_x, bytes));
  check(cudaMalloc(&gpu_y, bytes));
  check(cudaMalloc(&gpu_out, bytes));
  check(cudaMemcpy(gpu_x, x.data(), bytes, cudaMemcpyHostToDevice));  // x.to("cuda")
  check(cudaMemcpy(gpu_y, y.data(), bytes, cudaMemcpyHostToDevice));

  const int block = 256, grid = (n + block - 1) / block;  // four blocks of 256 threads
  scaled_add<<<grid, block>>>(gpu_x, gpu_y, 0.5f, gpu_out, n);
  check(cudaGetLastError());  // was the launch valid?

  check(cudaMemcpy(out.data(), gpu_out, bytes, cudaMemcpyDeviceToHost));  // out.cpu(): waits
  for (float* memory : {gpu_x, gpu_y, gpu_out}) check(cudaFree(memory));
  std::printf("the first three: %g %g %g\n", out[0], out[1], out[2]);
}
