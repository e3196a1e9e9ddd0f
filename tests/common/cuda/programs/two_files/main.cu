// prints: 62 0 42
#include <cstdio>

#include "scale.h"
#ifndef COUNT
#error "COUNT is an option of the test: -D COUNT=32"
#endif

extern __shared__ float tile[];
__global__ void fill(float* data) {
  tile[threadIdx.x] = threadIdx.x;
  data[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  float *data, host[COUNT];
  cudaMalloc(&data, sizeof host);
  fill<<<1, COUNT, sizeof host>>>(data);
  scale<<<1, COUNT, sizeof host>>>(data, COUNT, 2);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", host[0], host[COUNT - 1], on_host(21));
  cudaFree(data);
}
