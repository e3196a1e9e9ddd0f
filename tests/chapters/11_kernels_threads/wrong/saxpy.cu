#include "kernels.h"

#include "simt/exercise.h"

// answer: chunk_per_thread
// expect: 86016 excessive sectors of global memory, 88 % of all
// Every result is right. But neighboring threads access elements that are a whole chunk apart.
namespace chunk_per_thread {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int threads = gridDim.x * blockDim.x;
  const int chunk = (n + threads - 1) / threads;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = first; i < first + chunk && i < n; ++i) y[i] = a * x[i] + y[i];
}
}  // namespace chunk_per_thread

// answer: ends_one_stride_early
// expect: n = 33 with 1 block of 32: index 32: expected 38, got 32
// Right where there is a thread per element. Otherwise the last elements stay as they were.
namespace ends_one_stride_early {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int stride = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  for (i += stride; i + stride < n; i += stride) y[i] = a * x[i] + y[i];
}
}  // namespace ends_one_stride_early

// answer: forgets_y
// expect: index 1: expected 16, got 15
// Right where y holds zeros: y is written without being read.
namespace forgets_y {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i];
}
}  // namespace forgets_y

// answer: one_thread_per_block
// expect: requests to global memory, at most 3072 are needed
// Every result is right. But only one thread of each block works.
namespace one_thread_per_block {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  if (threadIdx.x == 0)
    for (int i = blockIdx.x; i < n; i += gridDim.x) y[i] = a * x[i] + y[i];
}
}  // namespace one_thread_per_block

// answer: starts_at_thread
// expect: reads and writes y[0] while thread (0,0,0) of block (0,0,0) does the same
// Every block begins at its own thread index, so all blocks compute the same elements.
namespace starts_at_thread {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}
}  // namespace starts_at_thread

// answer: stride_of_a_block
// expect: reads and writes y[128] while thread (0,0,0) of block (0,0,0) does the same
// Right for one block. With several blocks, elements are computed more than once.
namespace stride_of_a_block {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
    y[i] = a * x[i] + y[i];
}
}  // namespace stride_of_a_block

// answer: block_0_alone
// expect: block 1 of 4 with 64 threads each reads none of the 1000 elements of `x`
// Every result is right, and every access coalesced. But the other blocks have nothing to do.
namespace block_0_alone {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  if (blockIdx.x > 0) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];
}
}  // namespace block_0_alone
