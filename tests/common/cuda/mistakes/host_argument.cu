// prints: host_argument.cu:10: argument 2 of copy points to memory of the host
#include <vector>

__global__ void copy(int* out, const int* in) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  std::vector<int> host(32);
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
  copy<<<1, 32>>>(data, host.data());
  return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
