// Kernels with the names of parameters in the headers.
// prints: 1 2 3
#include <cstdio>

template <int kStep>
__global__ void kernel(int* sum) {
  *sum += kStep;
}
__global__ void memory(int* sum) { *sum += 2; }
__global__ void config(int* sum) { *sum += 3; }

int main() {
  int *sums, host[3];
  cudaMalloc(&sums, sizeof host);
  cudaMemset(sums, 0, sizeof host);
  kernel<1><<<1, 1>>>(sums);
  memory<<<1, 1>>>(sums + 1);
  void* arguments[] = {&sums};
  cudaLaunchKernel((void*)memory, 1, 1, arguments);
  config<<<1, 1>>>(sums + 2);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", host[0] - 2, host[1], host[2]);
  cudaFree(sums);
}
