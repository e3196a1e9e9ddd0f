// prints: leak.cu:6: cudaMalloc: a leak of 300 bytes in 3 blocks
__global__ void fill(char* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  char* data;
  for (int i = 0; i < 3; ++i) cudaMalloc(&data, 100);
  fill<<<1, 100>>>(data);
  cudaDeviceSynchronize();
}
