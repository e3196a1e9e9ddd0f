// prints: unchecked_launch.cu:8: the launch of fill fails with cudaErrorInvalidConfiguration
// prints: call cudaGetLastError() after each launch
__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  int* data;
  cudaMalloc(&data, 2048 * sizeof(int));
  fill<<<1, 2048>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
