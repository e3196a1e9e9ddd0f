// Threads that wait in loops, for each other and for the clock.
// prints: turns: 0123
// prints: exclusive: 64
// prints: blocks: 32
// prints: a millisecond of the clock takes at most 1000 calls: 1
#include <cstdio>

/// Each thread waits for its turn, and adds its digit.
__global__ void in_turn(unsigned* turn, unsigned* digits) {
  while (atomicAdd(turn, 0u) != threadIdx.x) {
  }
  const unsigned sum = atomicAdd(digits, 0u);
  atomicExch(digits, sum * 10 + threadIdx.x);
  atomicExch(turn, threadIdx.x + 1);
}

/// A lock, which one thread at a time has.
__global__ void exclusive(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *count = *count + 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void wait_for_clock(int* calls) {
  const long long end = clock64() + 1000000;
  while (clock64() < end) ++*calls;
}

int main() {
  unsigned* words;
  cudaMalloc(&words, 4 * sizeof(unsigned));
  cudaMemset(words, 0, 4 * sizeof(unsigned));
  int* const numbers = (int*)words + 2;
  in_turn<<<1, 4>>>(words, words + 1);
  exclusive<<<1, 64>>>(numbers, numbers + 1);
  unsigned host[4];
  cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
  printf("turns: %04u\nexclusive: %u\n", host[1], host[3]);

  cudaMemset(words, 0, 4 * sizeof(unsigned));
  exclusive<<<8, 4>>>(numbers, numbers + 1);
  cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
  printf("blocks: %u\n", host[3]);

  cudaMemset(words, 0, 4 * sizeof(unsigned));
  wait_for_clock<<<1, 1>>>(numbers);
  cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
  printf("a millisecond of the clock takes at most 1000 calls: %d\n", host[2] <= 1000);
  cudaFree(words);
}
