// prints: callback_calls.cu:4: cudaMemset is called in a callback of a stream
int* data;

void work(void*) { cudaMemset(data, 0, 4); }

int main() {
  cudaMalloc(&data, 4);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchHostFunc(stream, work, nullptr);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(data);
}
