#include "kernels.h"

// answer: barrier_in_the_branch
// expect: wait here
// Right where n is a multiple of 256. In the last block some threads never reach the barrier.
namespace barrier_in_the_branch {
__global__ void roll_tile(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;  // elements of this block
  if (t < count) {
    s[t] = in[first + t];
    __syncthreads();
    out[first + t] = s[(t + 1) % count];
  }
}
}  // namespace barrier_in_the_branch

// answer: next_of_256
// expect: that no thread has written since the block began
// Right where n is a multiple of 256. In a last block with fewer elements, the last of them stores
// the first one.
namespace next_of_256 {
__global__ void roll_tile(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;  // elements of this block
  if (t < count) s[t] = in[first + t];
  __syncthreads();
  if (t < count) out[first + t] = s[(t + 1) % 256];
}
}  // namespace next_of_256

// answer: no_barrier
// expect: … while thread
// Another warp may not have stored the element yet.
namespace no_barrier {
__global__ void roll_tile(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;  // elements of this block
  if (t < count) s[t] = in[first + t];
  if (t < count) out[first + t] = s[(t + 1) % count];
}
}  // namespace no_barrier

// answer: all_elements
// expect: expected
// Right for a single block: moves the whole array instead of each tile.
namespace all_elements {
__global__ void roll_tile(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;  // elements of this block
  if (t < count) s[t] = in[first + t];
  __syncthreads();
  if (t < count) out[(first + t + n - 1) % n] = s[t];
}
}  // namespace all_elements

// answer: without_shared_memory
// expect: the elements do not go through shared memory
// Right, but the thread reads the other element itself.
namespace without_shared_memory {
__global__ void roll_tile(const float* in, float* out, int n) {
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;
  if (t < count) out[first + t] = in[first + (t + 1) % count];
}
}  // namespace without_shared_memory

// answer: half_tile
// expect: n = 259 with blocks of 256
// The tile holds halves. Right for integers up to 2,048.
namespace half_tile {

__global__ void roll_tile(const float* in, float* out, int n) {
  __shared__ half s[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int count = n - first < 256 ? n - first : 256;
  if (t < count) s[t] = __float2half(in[first + t]);
  __syncthreads();
  if (t < count) out[first + t] = __half2float(s[(t + 1) % count]);
}

}  // namespace half_tile
