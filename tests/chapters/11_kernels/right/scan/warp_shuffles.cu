// Each warp scans its 32 elements by shuffles; the first warp scans the sums of the eight warps.
#include "kernels.h"

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
