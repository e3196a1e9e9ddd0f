// prints: host_reads.cu:12: the host reads memory of the device (cudaMalloc
// prints: copy it with cudaMemcpy
#include <cstdio>

__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
  fill<<<1, 32>>>(data);
  cudaDeviceSynchronize();
  printf("%d\n", data[5]);
  cudaFree(data);
}
