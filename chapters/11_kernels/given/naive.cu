// Kernels that are right but ignore how a warp reads memory. programs/counts.cpp counts them next
// to the kernels of the exercises.
#include "simt/kernel.h"

// Each thread computes eight elements in a row, so neighboring lanes are 32 bytes apart.
__global__ void naive_add(const float* a, const float* b, float* c, int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < first + 8 && i < n; ++i) c[i] = a[i] + b[i];
}

// Neighboring lanes store to neighboring rows of the result.
__global__ void naive_transpose(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
