// A file without kernels, with a function that has the name of one of CUDA's.
#include <cuda_runtime.h>

static float min(float a, float b) { return a < b ? a : b; }

float on_host(float x) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? min(2 * x, 100) : 0;
}
