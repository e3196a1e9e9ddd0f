// prints: missing_barrier.cu:6: thread (31,0,0) reads tile[32] while thread (32,0,0) writes it
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
