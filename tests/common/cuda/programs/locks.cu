// Threads that wait in loops, for each other and for the clock.
// prints: turns: 0123
// prints: exclusive: 64
// prints: blocks: 32
// prints: with orders: 64, at most 63, bits ff
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

/// The same with an order for each atomic function. The other words get the largest number and
/// bits.
__global__ void with_orders(unsigned* words) {
  unsigned open = 0;
  while (!__nv_atomic_compare_exchange_n(words, &open, 1u, true, __NV_ATOMIC_ACQUIRE,
                                         __NV_ATOMIC_RELAXED))
    open = 0;
  ++words[1];
  __nv_atomic_store_n(words, 0u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_max(words + 2, threadIdx.x, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_or(words + 3, 1u << threadIdx.x % 8, __NV_ATOMIC_RELAXED);
  if (__nv_atomic_load_n(words + 3, __NV_ATOMIC_RELAXED) > 0xff) __trap();
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
  with_orders<<<1, 64>>>(words);
  cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
  printf("with orders: %u, at most %u, bits %x\n", host[1], host[2], host[3]);

  cudaMemset(words, 0, 4 * sizeof(unsigned));
  wait_for_clock<<<1, 1>>>(numbers);
  cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
  printf("a millisecond of the clock takes at most 1000 calls: %d\n", host[2] <= 1000);
  cudaFree(words);
}
