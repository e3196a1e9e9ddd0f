// prints: that cudaMemcpyAsync in buffer_used_again.cu:18 reads in another stream
// Two parts take turns with one buffer. The second part's kernel does not wait for the first part's
// copy.
__global__ void fill(float* x, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

int main() {
  constexpr int n = 1000;
  float *host, *data;
  cudaStream_t streams[2];
  cudaMallocHost(&host, 2 * n * sizeof(float));
  cudaMalloc(&data, n * sizeof(float));
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int part = 0; part < 2; ++part) {
    fill<<<4, 256, 0, streams[part]>>>(data, n, part);
    cudaMemcpyAsync(host + part * n, data, n * sizeof(float), cudaMemcpyDeviceToHost,
                    streams[part]);
  }
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(data);
  cudaFreeHost(host);
}
