// prints: streams_share_memory.cu:20: the launch of double_elements reads memory of the device
// prints: that cudaMemcpyAsync in streams_share_memory.cu:18 writes in another stream
// prints: cudaStreamWaitEvent
__global__ void double_elements(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  constexpr int n = 1000;
  float *host, *data;
  cudaStream_t copies, kernels;
  cudaMallocHost(&host, n * sizeof(float));
  cudaMalloc(&data, n * sizeof(float));
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemcpyAsync(data, host, n * sizeof(float), cudaMemcpyHostToDevice, copies);

  double_elements<<<4, 256, 0, kernels>>>(data, n);
  cudaDeviceSynchronize();
  cudaStreamDestroy(copies);
  cudaStreamDestroy(kernels);
  cudaFree(data);
  cudaFreeHost(host);
}
