// prints: argument 1 of fill points to memory that was freed in use_after_free.cu:8
__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));

  cudaFree(data);
  fill<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
