// The kernel of main.cpp: out = x + factor * y. One thread computes one element. nvcc compiles it
// for a GPU, and g++ for sim.
#include "simt/kernel.h"

__global__ void scaled_add(const float* x, const float* y, float factor, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // the index of this thread in the grid
  if (i < n) out[i] = x[i] + factor * y[i];             // the last threads have no element
}
