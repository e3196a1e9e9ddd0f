// prints: other_process.cu:9: cudaIpcGetMemHandle is not supported here, and returns
// prints: cudaErrorNotSupported
#include <cstdio>

int main() {
  int* data;
  cudaIpcMemHandle_t handle;
  cudaMalloc(&data, 32 * sizeof(int));
  printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, data)));
  cudaFree(data);
}
