// prints: destroyed_stream.cu:10: cudaMemsetAsync returns cudaErrorInvalidResourceHandle
int main() {
  float* data;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&data, 100);

  cudaMemsetAsync(data, 0, 100, stream);
  cudaStreamDestroy(stream);
  cudaMemsetAsync(data, 0, 100, stream);
  cudaFree(data);
}
