// prints: wrong_direction.cu:13: cudaMemcpy with cudaMemcpyHostToDevice
// prints: the destination is memory of the host
#include <vector>

__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  std::vector<int> host(32);
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
  fill<<<1, 32>>>(data);

  cudaMemcpy(host.data(), data, 32 * sizeof(int), cudaMemcpyHostToDevice);
  cudaFree(data);
}
