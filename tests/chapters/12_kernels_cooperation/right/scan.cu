#include "kernels.h"

// answer: two_buffers
// Two buffers alternate, so that one barrier per step is enough.
namespace two_buffers {
__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[2][256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int sum = 0;
  if (i < static_cast<unsigned>(n)) sum = in[i];
  int turn = 0;
  for (unsigned d = 1; d < 256; d *= 2, turn ^= 1) {
    s[turn][t] = sum;
    __syncthreads();
    if (t >= d) sum += s[turn][t - d];
  }
  if (i < static_cast<unsigned>(n)) out[i] = sum;
  if (t == 255) block_sums[blockIdx.x] = sum;
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  if (blockIdx.x == 0) return;
  const int carry = scanned_sums[blockIdx.x - 1];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = out[i] + carry;
}
}  // namespace two_buffers

// answer: up_and_down
// Sums of pairs, of pairs of pairs and so on, and back down; one word of padding per 32 elements.
namespace up_and_down {
__device__ int padded(int i) { return i + i / 32; }

__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[256 + 8];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  const int own = i < n ? in[i] : 0;
  s[padded(t)] = own;
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    const int right = (t + 1) * d * 2 - 1;
    if (right < 256) s[padded(right)] += s[padded(right - d)];
  }
  __syncthreads();
  if (t == 0) {
    block_sums[blockIdx.x] = s[padded(255)];
    s[padded(255)] = 0;
  }
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    const int right = (t + 1) * d * 2 - 1;
    if (right >= 256) continue;
    const int left = s[padded(right - d)];
    s[padded(right - d)] = s[padded(right)];
    s[padded(right)] += left;
  }
  __syncthreads();
  if (i < n) out[i] = s[padded(t)] + own;
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}
}  // namespace up_and_down

// answer: warp_shuffles
// Each warp scans its 32 elements by shuffles; the first warp scans the sums of the eight warps.
namespace warp_shuffles {
__device__ int scan_of_warp(int value, int lane) {
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, value, d);
    if (lane >= d) value += left;
  }
  return value;
}

__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int sums[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int i = blockIdx.x * 256 + t;
  int value = scan_of_warp(i < n ? in[i] : 0, lane);
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int sum = scan_of_warp(lane < 8 ? sums[lane] : 0, lane);
    if (lane < 8) sums[lane] = sum;
  }
  __syncthreads();
  if (warp > 0) value += sums[warp - 1];
  if (i < n) out[i] = value;
  if (t == 255) block_sums[blockIdx.x] = value;
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0 || i >= n) return;
  out[i] += scanned_sums[blockIdx.x - 1];
}
}  // namespace warp_shuffles
