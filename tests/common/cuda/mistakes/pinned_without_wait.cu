// prints: pinned_without_wait.cu:15: the host writes pinned memory that cudaMemcpyAsync in
// prints: pinned_without_wait.cu:12 reads, and has not waited for it
int main() {
  constexpr int n = 1000;
  float *host, *data;
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMallocHost(&host, n * sizeof(float));
  cudaMalloc(&data, n * sizeof(float));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemcpyAsync(data, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(other);

  host[7] = 0;
  cudaStreamSynchronize(stream);
  host[8] = 0;
  cudaFree(data);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
}
