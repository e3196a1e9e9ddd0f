// The end of a sum, as programs from before 2017 write it. Lanes of a warp keep in step, so the sum
// is right; CUDA no longer promises it.
// prints: without_syncwarp.cu:16: thread (0,0,0) reads sums[16] while thread (16,0,0) writes it
// prints: volatile orders nothing. Cure: __syncwarp() in front of line 16's read
// prints: sum: 2016
#include <cstdio>

__global__ void sum(const int* numbers, int* result) {
  __shared__ int sums[64];
  const int i = threadIdx.x;
  sums[i] = numbers[i];
  __syncthreads();
  if (i < 32) {
    volatile int* s = sums;
    s[i] += s[i + 32];
    s[i] += s[i + 16];
    s[i] += s[i + 8];
    s[i] += s[i + 4];
    s[i] += s[i + 2];
    s[i] += s[i + 1];
  }
  if (i == 0) *result = sums[0];
}

int main() {
  int *numbers, *result, host[64];
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&numbers, sizeof host);
  cudaMalloc(&result, sizeof(int));
  cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(numbers, result);
  cudaMemcpy(host, result, sizeof(int), cudaMemcpyDeviceToHost);
  printf("sum: %d\n", host[0]);
  cudaFree(numbers);
  cudaFree(result);
}
