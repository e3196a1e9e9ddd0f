#include "kernels.h"

#include "simt/exercise.h"

// answer: atomics_on_global_memory
// expect: 65536 atomic operations on `bins`, at most 2048 are needed
// Every count is right. But there is an atomic operation on global memory per byte.
namespace atomics_on_global_memory {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[in[i]], 1u);
}
}  // namespace atomics_on_global_memory

// answer: bins_not_set_to_0
// expect: updates mine[0] that no thread has written since the block began
// Shared memory holds whatever an earlier block has left there.
namespace bins_not_set_to_0 {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}
}  // namespace bins_not_set_to_0

// answer: no_atomics
// expect: an update that is not atomic
// Right where no two threads of a block have the same value. Otherwise increments are lost.
namespace no_atomics {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) mine[in[i]]++;
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}
}  // namespace no_atomics

// answer: no_barrier_before_the_end
// expect: reads mine[4] while … updates it … read after atomic
// A bin may be added to `bins` before the last thread has counted.
namespace no_barrier_before_the_end {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&mine[in[i]], 1u);
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}
}  // namespace no_barrier_before_the_end

// answer: one_pass_over_the_bins
// expect: n = 31 with 1 block of 32: index 36: expected 1, got 0
// Right for blocks of at least 256 threads: smaller blocks add only their first bins.
namespace one_pass_over_the_bins {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  const int b = threadIdx.x;
  if (b < 256 && mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}
}  // namespace one_pass_over_the_bins

// answer: one_thread_counts
// expect: loads of `in` by a warp, at most 2048 are needed
// Every count is right. But one thread of each block counts alone, so it needs no atomics.
namespace one_thread_counts {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = blockIdx.x; i < n; i += gridDim.x) mine[in[i]]++;
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b]) atomicAdd(&bins[b], mine[b]);
}
}  // namespace one_thread_counts

// answer: stores_the_bins
// expect: writes bins[0] while thread (0,0,0) of block (0,0,0) writes it
// Right for one block: a store instead of an addition.
namespace stores_the_bins {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b] > 0) bins[b] = mine[b];
}
}  // namespace stores_the_bins

// answer: block_0_alone
// expect: block 1 of 4 with 64 threads each reads none of the 1000 elements of `in`
// Every count is right. But the other blocks have nothing to do.
namespace block_0_alone {
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  if (blockIdx.x > 0) return;
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] += mine[b];
}
}  // namespace block_0_alone

// answer: short_bins
// expect: n = 70000 with 1 block of 512
// Two bins share a word of shared memory. Right up to 65,535 bytes of one value per block.
namespace short_bins {

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[128];
  const int t = threadIdx.x, B = blockDim.x, step = gridDim.x * blockDim.x,
            first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = t; k < 128; k += B) mine[k] = 0;
  __syncthreads();
  for (int i = first; i < n; i += step) atomicAdd(&mine[in[i] / 2], in[i] % 2 ? 0x10000u : 1u);
  __syncthreads();
  for (int k = t; k < 256; k += B) atomicAdd(&bins[k], mine[k / 2] >> (k % 2 * 16) & 0xffff);
}

}  // namespace short_bins
