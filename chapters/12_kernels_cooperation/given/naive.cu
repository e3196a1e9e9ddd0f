// Kernels that are right but ignore how a warp accesses memory. demos.h lists each of them next to
// the exercise that does better.
#include "simt/kernel.h"

// Neighboring lanes store to neighboring rows of the result.
__global__ void naive_transpose(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}

// anchor: naive_sums
// One thread per row: neighboring lanes load from neighboring rows.
__global__ void naive_row_sums(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int col = 0; col < cols; ++col) sum += in[row * cols + col];
  out[row] = sum;
}
// anchor end

// A tree like that of block_sum, but lanes add words that are 2, 4, 8 and more words apart.
__global__ void strided_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int at = 2 * step * t;
    if (at < 256) s[at] += s[at + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// anchor: naive_pool
// Loads each element three times, twice from addresses that are shifted by an element.
__global__ void naive_max_pool(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float largest = in[i];
  if (i > 0) largest = fmaxf(largest, in[i - 1]);
  if (i + 1 < n) largest = fmaxf(largest, in[i + 1]);
  out[i] = largest;
}
// anchor end
