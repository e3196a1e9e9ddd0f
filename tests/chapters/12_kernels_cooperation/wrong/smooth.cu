#include "kernels.h"

// answer: barrier_after_every_line
// expect: 24 barriers per thread, at most 16 are needed
// Correct, and slower than needed: one of the three barriers orders nothing.
namespace barrier_after_every_line {
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[130];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 127) s[129] = i + 1 < n ? in[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
    __syncthreads();
  }
}
}  // namespace barrier_after_every_line

// answer: border_unwritten
// expect: reads s[0] that no thread has written since the block began
// The elements outside of `in` count as 0, but no thread has stored these zeros.
namespace border_unwritten {
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[130];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0 && i > 0) s[0] = in[i - 1];
    if (t == 127 && i + 1 < n) s[129] = in[i + 1];
    __syncthreads();
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
    __syncthreads();
  }
}
}  // namespace border_unwritten

// answer: next_tile_too_early
// expect: writes s[1] while … reads it … write after read
// Right where each block has one tile. Otherwise the next tile overwrites values in use.
namespace next_tile_too_early {
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[130];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 127) s[129] = i + 1 < n ? in[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
  }
}
}  // namespace next_tile_too_early

// answer: no_barrier_before_the_sum
// expect: reads s[2] while thread (1,0,0) writes it
// The first and the last thread of a warp read what their neighbors may not have stored yet.
namespace no_barrier_before_the_sum {
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[130];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + t;
    s[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 127) s[129] = i + 1 < n ? in[i + 1] : 0.0f;
    if (i < n) out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
    __syncthreads();
  }
}
}  // namespace no_barrier_before_the_sum

// answer: without_shared_memory
// expect: 1790 sectors loaded from `in`, at most 704 are needed
// Every result is right. But each element is loaded three times, twice from shifted addresses.
namespace without_shared_memory {
__global__ void smooth(const float* in, float* out, int n) {
  for (int tile = blockIdx.x; tile * 128 < n; tile += gridDim.x) {
    const int i = tile * 128 + threadIdx.x;
    if (i >= n) continue;
    const float left = i > 0 ? in[i - 1] : 0.0f;
    const float right = i + 1 < n ? in[i + 1] : 0.0f;
    out[i] = (left + 2 * in[i] + right) / 4;
  }
}
}  // namespace without_shared_memory
