#include "kernels.h"

// answer: flipped
// expect: expected
// The first weight belongs to the first element: this one turns the weights around.
namespace flipped {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 128 + width - 1; j += 128) s[j] = first + j < n ? in[first + j] : 0.0f;
  if (t < width) w[t] = weight[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += w[width - 1 - k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace flipped

// answer: no_halo
// expect: that no thread has written since the block began
// Right for one weight. The elements past the tile are missing.
namespace no_halo {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  s[t] = first + t < n ? in[first + t] : 0.0f;
  if (t < width) w[t] = weight[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace no_halo

// answer: halo_of_zeros
// expect: expected
// Right for one block. Otherwise the tile ends with elements that exist.
namespace halo_of_zeros {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 128 + width - 1; j += 128)
    s[j] = j < 128 && first + j < n ? in[first + j] : 0.0f;
  if (t < width) w[t] = weight[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace halo_of_zeros

// answer: no_barrier
// expect: … while thread
// Another thread may not have stored its elements yet.
namespace no_barrier {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 128 + width - 1; j += 128) s[j] = first + j < n ? in[first + j] : 0.0f;
  if (t < width) w[t] = weight[t];
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace no_barrier

// answer: threads_past_the_end_return
// expect: that no thread has written since the block began
// Right where n is a multiple of 128. Otherwise no thread fills the end of the tile.
namespace threads_past_the_end_return {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  if (first + t >= n) return;
  for (int j = t; j < 128 + width - 1; j += 128) s[j] = first + j < n ? in[first + j] : 0.0f;
  if (t < width) w[t] = weight[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace threads_past_the_end_return

// answer: reads_past_the_end
// expect: past the end of in
// Right where no element past the end is needed.
namespace reads_past_the_end {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 128 + width - 1; j += 128) s[j] = in[first + j];
  if (t < width) w[t] = weight[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace reads_past_the_end

// answer: weights_from_global_memory
// expect: loads of `weight` by a thread, at most 256 are needed
// Right, but each thread loads all weights.
namespace weights_from_global_memory {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31];  // The tile with the widest halo, and the weights.
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 128 + width - 1; j += 128) s[j] = first + j < n ? in[first + j] : 0.0f;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += weight[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace weights_from_global_memory

// answer: without_shared_memory
// expect: loads of `in` by a thread, at most 1248 are needed
// Right, but each element is loaded `width` times.
namespace without_shared_memory {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < width && i + k < n; ++k) sum += weight[k] * in[i + k];
  out[i] = sum;
}
}  // namespace without_shared_memory

// answer: int_sum
// expect: n = 33, width = 5: index 0
// The sum is an int. Right for integers.
namespace int_sum {

__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 127 + width; j += 128) s[j] = first + j < n ? in[first + j] : 0.0f;
  if (t < width) w[t] = weight[t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < width; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}

}  // namespace int_sum

// answer: loads_whole_halo
// expect: n = 300, width = 5: index
// Multiplies 32 elements, with weights of 0 beyond the width. Right where all elements are finite.
namespace loads_whole_halo {
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width) {
  __shared__ float s[128 + 31], w[32];
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int j = t; j < 159; j += 128) s[j] = first + j < n ? in[first + j] : 0.0f;
  if (t < 32) w[t] = t < width ? weight[t] : 0.0f;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += w[k] * s[t + k];
  if (first + t < n) out[first + t] = sum;
}
}  // namespace loads_whole_halo
