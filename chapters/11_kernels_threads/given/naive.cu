// Kernels that are right but ignore how a warp accesses memory. demos.h lists each next to one that
// does better.
#include "simt/kernel.h"

// Each thread computes eight elements in a row, so neighboring lanes are 32 bytes apart.
__global__ void naive_add(const float* a, const float* b, float* c, int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < first + 8 && i < n; ++i) c[i] = a[i] + b[i];
}

// `.x` counts rows, so neighboring lanes are a row of the matrix apart.
__global__ void naive_flip(const float* in, float* out, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}

// Thread i copies row i, so neighboring lanes are a row apart.
__global__ void naive_gather(const float* table, const int* indices, float* out, int dim, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < dim && i < n; ++j) out[i * dim + j] = table[indices[i] * dim + j];
}

// The given kernel of the exercise coalesce: each thread walks along rows of its own.
__global__ void naive_affine(const float* in, const float* scale_shift, float* out, int rows,
                             int cols) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x)
    for (int c = 0; c < cols; ++c)
      out[r * cols + c] = in[r * cols + c] * scale_shift[2 * c] + scale_shift[2 * c + 1];
}
