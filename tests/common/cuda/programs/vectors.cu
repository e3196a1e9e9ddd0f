// Vectors of two bytes are two bytes apart, as the image of a host that is copied to a device. A
// kernel may treat a vector of four floats as one of eight halves.
// prints: 2 2 4, and 510 in pair 3
// prints: 0 1 0 1 0 1 0 1
#include <cuda_fp16.h>

#include <cstdio>

__global__ void sum_pairs(const uchar2* pairs, int* sums) {
  const uchar2 pair = pairs[threadIdx.x];
  sums[threadIdx.x] = pair.x + pair.y;
}

__global__ void above_zero(const half* from, half* to) {
  float4 four = *reinterpret_cast<const float4*>(from), result;
  const half2* const pairs = reinterpret_cast<half2*>(&four);
  half2* const results = reinterpret_cast<half2*>(&result);
  for (int i = 0; i < 4; ++i) results[i] = __hgt2(pairs[i], __float2half2_rn(0.0f));
  *reinterpret_cast<float4*>(to) = result;
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

  half numbers[8], *halves;
  for (int i = 0; i < 8; ++i) numbers[i] = i % 2 ? 3.0f : -2.0f;
  cudaMalloc(&halves, sizeof numbers);
  cudaMemcpy(halves, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  above_zero<<<1, 1>>>(halves, halves);
  cudaMemcpy(numbers, halves, sizeof numbers, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) printf("%g%c", __half2float(numbers[i]), i < 7 ? ' ' : '\n');
  cudaFree(halves);
}
