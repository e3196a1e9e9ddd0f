// prints: frees.cu:12: cudaFree is given the memory of cudaMalloc in frees.cu:10
// prints: which was freed already in frees.cu:11
// prints: frees.cu:13: cudaFree is given memory that cudaMalloc has not returned
// prints: frees.cu:14: cudaFreeHost is given memory that cudaMallocHost has not returned
#include <cstdlib>

int main() {
  int* data;
  int* host = static_cast<int*>(malloc(100));
  cudaMalloc(&data, 100);
  cudaFree(data);
  cudaFree(data);
  cudaFree(host);
  cudaFreeHost(host);
  free(host);
}
