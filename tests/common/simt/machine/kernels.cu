#include "kernels.h"

__global__ void add(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];  // mark: add
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();  // mark: block_sum barrier
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void dynamic_sum(const float* in, float* out, int n) {
  extern __shared__ float smem[];
  const int t = threadIdx.x;
  smem[t] = t < n ? in[t] : 0;
  __syncthreads();
  if (t != 0) return;
  float sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += smem[i];
  *out = sum;
}

// Three numbers per thread: its linear index in the block, its block's in the grid, and the
// extents.
__global__ void indices(int* out) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  out[b * threads + t] = b * threads + t;
}

__global__ void copy4(const float4* in, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];  // mark: copy4
}
