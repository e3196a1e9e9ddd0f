// prints: missing_barrier.cu:7:
// prints: race
__global__ void reverse(int* data) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = data[i];
  data[i] = tile[63 - i];
}

int main() {
  int* data;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  reverse<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
