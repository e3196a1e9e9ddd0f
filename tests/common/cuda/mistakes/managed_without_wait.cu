// prints: managed_without_wait.cu:11: the host reads managed memory that the launch of fill in
// prints: managed_without_wait.cu:10 writes, and has not waited for it
#include <cstdio>

__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  int* data;
  cudaMallocManaged(&data, 32 * sizeof(int));
  fill<<<1, 32>>>(data);
  printf("%d\n", data[5] >= 0);
  cudaDeviceSynchronize();
  printf("%d\n", data[5]);
  cudaFree(data);
}
