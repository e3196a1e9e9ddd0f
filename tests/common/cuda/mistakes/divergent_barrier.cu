// prints: divergent_barrier.cu:5:
__global__ void wait(int* data) {
  int i = threadIdx.x;
  if (i < 40) {
    __syncthreads();
    data[i] = i;
  }
  __syncthreads();
}

int main() {
  int* data;
  cudaMalloc(&data, 64 * sizeof(int));
  wait<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  cudaDeviceReset();
}
