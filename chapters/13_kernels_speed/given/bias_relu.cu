// The kernel of main.cpp: out = relu(x + bias), where the bias has one number per column.
#include "simt/kernel.h"

__global__ void bias_relu(const float* x, const float* bias, float* out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * cols + col] = fmaxf(x[row * cols + col] + bias[col], 0);
}
