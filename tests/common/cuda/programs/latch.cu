// A kernel waits for the host, which writes volatile pinned memory while it runs.
// prints: released: 7
#include <cstdio>

__global__ void wait_for(volatile unsigned* latch, unsigned* value) {
  while (*latch == 0) {
  }
  *value = 7;
}

int main() {
  unsigned *latch, *value, result;
  cudaMallocHost(&latch, sizeof(unsigned));
  cudaMalloc(&value, sizeof(unsigned));
  *latch = 0;
  wait_for<<<1, 1>>>(latch, value);
  *latch = 1;
  cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("released: %u\n", result);
  cudaFree(value);
  cudaFreeHost(latch);
}
