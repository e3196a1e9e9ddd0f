// prints: copy_too_long.cu:8: cudaMemcpy with cudaMemcpyHostToDevice: the destination has
// prints: and the call needs 400
#include <vector>
int main() {
  std::vector<float> host(100);
  float* data;
  cudaMalloc(&data, 100);
  cudaMemcpy(data, host.data(), 100 * sizeof(float), cudaMemcpyHostToDevice);
  cudaFree(data);
}
