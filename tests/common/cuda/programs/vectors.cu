// Vectors of two bytes are two bytes apart, as the image of a host that is copied to a device.
// prints: 2 2 4, and 510 in pair 3
#include <cstdio>

__global__ void sum_pairs(const uchar2* pairs, int* sums) {
  const uchar2 pair = pairs[threadIdx.x];
  sums[threadIdx.x] = pair.x + pair.y;
}

int main() {
  const unsigned char bytes[] = {0, 1, 2, 3, 4, 5, 255, 255};
  uchar2* pairs;
  int *sums, last;
  cudaMalloc(&pairs, sizeof bytes);
  cudaMalloc(&sums, 4 * sizeof(int));
  cudaMemcpy(pairs, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  sum_pairs<<<1, 4>>>(pairs, sums);
  cudaMemcpy(&last, sums + 3, sizeof last, cudaMemcpyDeviceToHost);
  printf("%zu %zu %zu, and %d in pair 3\n", sizeof(char2), sizeof(uchar2), sizeof(uchar4), last);
  cudaFree(pairs);
  cudaFree(sums);
}
