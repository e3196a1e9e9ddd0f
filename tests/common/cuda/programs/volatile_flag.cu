// Threads that wait for a volatile variable, which other threads of their block write.
// prints: last: 32
#include <cstdio>

__global__ void one_after_another(volatile int* turn) {
  while (*turn != threadIdx.x) {
  }
  *turn = threadIdx.x + 1;
}

int main() {
  int *turn, last;
  cudaMalloc(&turn, sizeof(int));
  cudaMemset(turn, 0, sizeof(int));
  one_after_another<<<1, 32>>>(turn);
  cudaMemcpy(&last, turn, sizeof last, cudaMemcpyDeviceToHost);
  printf("last: %d\n", last);
  cudaFree(turn);
}
