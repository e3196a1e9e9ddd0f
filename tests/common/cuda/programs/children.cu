// Kernels that launch kernels, with memory of the device's heap and streams of their own; and
// variables of the device that are const, and registers that PTX reads.
// nvcc: -rdc=true
// prints: sorted
// prints: 29 blocks
// prints: 4 sums of 64
// prints: lanes 0 to 31, table 30
#include <cstdio>

__device__ int blocks = 0;

__global__ void spawn(int depth) {
  if (threadIdx.x == 0) atomicAdd(&blocks, 1);
  if (depth > 0) spawn<<<gridDim.x + 1, blockDim.x>>>(depth - 1);
}

/// Quicksort: a kernel per part.
__global__ void sort(int* data, int begin, int end) {
  if (end - begin < 2) return;
  int middle = begin;
  for (int i = begin + 1; i < end; ++i)
    if (data[i] < data[begin]) {
      ++middle;
      int other = data[i];
      data[i] = data[middle];
      data[middle] = other;
    }
  int pivot = data[begin];
  data[begin] = data[middle];
  data[middle] = pivot;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  sort<<<1, 1, 0, stream>>>(data, begin, middle);
  cudaStreamDestroy(stream);
  sort<<<1, 1>>>(data, middle + 1, end);
}

struct Row {
  int* values;
};
__global__ void fill(Row* rows, int row, int n) {
  if (threadIdx.x < n) rows[row].values[threadIdx.x] = 2;
}
__global__ void make(Row* rows, int n) {
  cudaMalloc((void**)&rows[threadIdx.x].values, n * sizeof(int));
  fill<<<1, 64>>>(rows, threadIdx.x, n);
}
__global__ void sum(Row* rows, int n, int* sums) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += rows[threadIdx.x].values[i];
  sums[threadIdx.x] = total;
  cudaFree(rows[threadIdx.x].values);
}

__constant__ const int table[3] = {10, 20, 30};
__constant__ int factor;

__global__ void read_lanes(unsigned* out) {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[threadIdx.x] = lane + factor * table[threadIdx.x % 3];
}

int main() {
  int values[100], *data, count = 0;
  for (int i = 0; i < 100; ++i) values[i] = (i * 37) % 101;
  cudaMalloc(&data, sizeof values);
  cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice);
  sort<<<1, 1>>>(data, 0, 100);
  cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
  for (int i = 1; i < 100; ++i) count += values[i - 1] > values[i];
  printf(count ? "not sorted\n" : "sorted\n");

  // A block, whose 2 threads launch 2 blocks each, whose 8 threads launch 3 each: 1 + 4 + 24.
  spawn<<<1, 2>>>(2);
  cudaMemcpyFromSymbol(&count, blocks, sizeof count);
  printf("%d blocks\n", count);

  Row* rows;
  int sums[4];
  cudaMalloc(&rows, 4 * sizeof(Row));
  make<<<1, 4>>>(rows, 32);
  sum<<<1, 4>>>(rows, 32, data);
  cudaMemcpy(sums, data, sizeof sums, cudaMemcpyDeviceToHost);
  for (count = 0; count < 4 && sums[count] == 64;) ++count;
  printf("%d sums of 64\n", count);

  unsigned lanes[64], wrong = 0;
  const int one = 1;
  cudaMemcpyToSymbol(factor, &one, sizeof one);
  read_lanes<<<1, 64>>>((unsigned*)data);
  cudaMemcpy(lanes, data, sizeof lanes, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < 64; ++i) wrong += lanes[i] != i % 32 + 10 * (i % 3 + 1);
  printf("lanes 0 to 31, table %d\n", wrong ? -1 : 30);
  cudaFree(rows);
  cudaFree(data);
}
