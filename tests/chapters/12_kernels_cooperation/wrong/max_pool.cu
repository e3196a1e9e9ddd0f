#include "kernels.h"

// answer: zero_outside
// expect: expected
// Right where the elements at both ends have a neighbor that is 0 or more.
namespace zero_outside {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : 0.0f;
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace zero_outside

// answer: a_low_number_outside
// expect: expected
// Right unless all neighbors are below -1e30.
namespace a_low_number_outside {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : -1e30f;
  if (t == 0) s[0] = i > 0 ? in[i - 1] : -1e30f;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : -1e30f;
  __syncthreads();
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace a_low_number_outside

// answer: tiles_without_neighbors
// expect: expected
// Right for one block. Other blocks leave out the elements next to their tile.
namespace tiles_without_neighbors {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : -INFINITY;
  if (t == 0) s[0] = -INFINITY;
  if (t == 255) s[257] = -INFINITY;
  __syncthreads();
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace tiles_without_neighbors

// answer: no_barrier
// expect: … while thread
// The neighbor may not have stored its element yet.
namespace no_barrier {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : -INFINITY;
  if (t == 0) s[0] = i > 0 ? in[i - 1] : -INFINITY;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : -INFINITY;
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace no_barrier

// answer: border_unwritten
// expect: reads s[0] that no thread has written since the block began
// No thread has stored anything where `in` has no neighbor.
namespace border_unwritten {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : -INFINITY;
  if (t == 0 && i > 0) s[0] = in[i - 1];
  if (t == 255 && i + 1 < n) s[257] = in[i + 1];
  __syncthreads();
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace border_unwritten

// answer: threads_past_the_end_return
// expect: that no thread has written since the block began
// Right where n is a multiple of 256. Otherwise no thread fills the end of the tile.
namespace threads_past_the_end_return {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t + 1] = in[i];
  if (t == 0) s[0] = i > 0 ? in[i - 1] : -INFINITY;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : -INFINITY;
  __syncthreads();
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace threads_past_the_end_return

// answer: without_shared_memory
// expect: loads of `in` by a thread, at most 2062 are needed
// Right, but each element is loaded three times.
namespace without_shared_memory {
__global__ void max_pool(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float largest = in[i];
  if (i > 0) largest = fmaxf(largest, in[i - 1]);
  if (i + 1 < n) largest = fmaxf(largest, in[i + 1]);
  out[i] = largest;
}
}  // namespace without_shared_memory

// answer: two_barriers
// expect: 2 barriers per thread, at most 1 are needed
// Right, but one barrier after both loads is enough.
namespace two_barriers {
__global__ void max_pool(const float* in, float* out, int n) {
  __shared__ float s[258];  // s[t + 1] is the element of thread t.
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : -INFINITY;
  __syncthreads();
  if (t == 0) s[0] = i > 0 ? in[i - 1] : -INFINITY;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : -INFINITY;
  __syncthreads();
  if (i < n) out[i] = fmaxf(s[t], fmaxf(s[t + 1], s[t + 2]));
}
}  // namespace two_barriers
