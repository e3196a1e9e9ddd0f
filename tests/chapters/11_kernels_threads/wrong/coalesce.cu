#include "kernels.h"

#include "simt/exercise.h"

// answer: unchanged
// expect: store  out:
// The given kernel: each thread walks along a row.
namespace unchanged {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int r = thread; r < rows; r += threads)
    for (int c = 0; c < cols; ++c) {
      const float scale = scale_shift[2 * c], shift = scale_shift[2 * c + 1];
      out[r * cols + c] = in[r * cols + c] * scale + shift;
    }
}
}  // namespace unchanged

// answer: two_loads
// expect: % excess
// The matrix is read along rows, but the pairs are loaded as two numbers, 8 bytes apart.
namespace two_loads {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += threads) {
    const int c = i % cols;
    out[i] = in[i] * scale_shift[2 * c] + scale_shift[2 * c + 1];
  }
}
}  // namespace two_loads

// answer: chunks
// expect: % excess
// The pairs are right, but each thread computes a chunk of its own.
namespace chunks {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  const int n = rows * cols, threads = gridDim.x * blockDim.x;
  const int chunk = (n + threads - 1) / threads;
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = begin; i < min(n, begin + chunk); ++i) {
    const float2 pair = reinterpret_cast<const float2*>(scale_shift)[i % cols];
    out[i] = in[i] * pair.x + pair.y;
  }
}
}  // namespace chunks

// answer: power_of_two
// expect: 96 with 2 blocks of 64
// The remainder by a mask. Right where the number of columns is a power of two.
namespace power_of_two {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += threads) {
    const float2 pair = reinterpret_cast<const float2*>(scale_shift)[i & (cols - 1)];
    out[i] = in[i] * pair.x + pair.y;
  }
}
}  // namespace power_of_two

// answer: pair_of_the_row
// expect: 96 with 2 blocks of 64
// Takes the pair of the row, not of the column.
namespace pair_of_the_row {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += threads) {
    const float2 pair = reinterpret_cast<const float2*>(scale_shift)[i / cols % cols];
    out[i] = in[i] * pair.x + pair.y;
  }
}
}  // namespace pair_of_the_row

// answer: block_0_alone
// expect: block 1 of 4 with 64 threads each reads none of the 4096 elements of `in`
// Every result is right, and every access takes the least sectors. But one block works.
namespace block_0_alone {
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols) {
  if (blockIdx.x > 0) return;
  for (int i = threadIdx.x; i < rows * cols; i += blockDim.x) {
    const float2 pair = reinterpret_cast<const float2*>(scale_shift)[i % cols];
    out[i] = in[i] * pair.x + pair.y;
  }
}
}  // namespace block_0_alone
