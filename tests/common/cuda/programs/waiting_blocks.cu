// Blocks that wait for the next block, as those of irregular algorithms do, and a barrier of all
// blocks that the program wrote itself.
// prints: last to first: 8
// prints: after the barrier: 8 of 8
#include <cstdio>

__global__ void from_last_to_first(volatile int* counts) {
  __shared__ int next;
  if (threadIdx.x == 0) {
    next = 0;
    if (blockIdx.x + 1 < gridDim.x)
      while ((next = counts[blockIdx.x + 1]) == 0) {
      }
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) counts[blockIdx.x] = next + 1;
}

__global__ void meet(unsigned* arrived, unsigned* seen) {
  __shared__ unsigned own;
  own = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && own == blockIdx.x) atomicAdd(seen, atomicAdd(arrived, 0) == gridDim.x);
}

int main() {
  int* counts;
  cudaMalloc(&counts, 8 * sizeof(int));
  cudaMemset(counts, 0, 8 * sizeof(int));
  from_last_to_first<<<8, 64>>>(counts);
  int count;
  cudaMemcpy(&count, counts, sizeof count, cudaMemcpyDeviceToHost);
  printf("last to first: %d\n", count);

  cudaMemset(counts, 0, 8 * sizeof(int));
  meet<<<8, 64>>>((unsigned*)counts, (unsigned*)counts + 1);
  unsigned host[2];
  cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
  printf("after the barrier: %u of %u\n", host[1], host[0]);
  cudaFree(counts);
}
