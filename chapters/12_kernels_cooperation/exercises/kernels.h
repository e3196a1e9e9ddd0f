// The kernels of chapter 12, which you write in files of their own: transpose.cu, block_sum.cu and
// so on. Included by those files, by exercises.h and by the tests. g++ compiles a kernel file for
// sim and nvcc compiles the same file for cuda. Invariant: it includes nothing but the language, so
// that a kernel file compiles in a moment. The tests judge results, faults, and what a profiler
// counts: a kernel that loads and stores more sectors than its task allows fails, although its
// results are right.
#pragma once

#include "simt/kernel.h"

/// Exercise 12.transpose. Implement `transpose`. It must write the transpose of a row-major matrix:
/// out[c * rows + r] = in[r * cols + c].
/// - A block has (32, 8) threads and transposes one tile of 32 x 32 elements. The grid has
///   (cols / 32, rows / 32) blocks, rounded up, so tiles at the edge are partly empty.
/// - Both the load and the store must be coalesced. So the tile goes through shared memory.
/// - Accesses to shared memory must be free of bank conflicts.
/// - Use one call of __syncthreads() per thread.
///
/// @param in rows x cols elements.
/// @param out cols x rows elements, to be written.
///
/// Example: {1, 2, 3, 4, 5, 6} with 2 rows and 3 columns becomes {1, 4, 2, 5, 3, 6}.
__global__ void transpose(const float* in, float* out, int rows, int cols);

/// Exercise 12.histogram. Implement `histogram`. It must add to bins[v] how many of the n bytes of
/// `in` have the value v, with any grid and any block of one dimension:
/// - All blocks share the work. Each block counts in 256 bins of its own in shared memory.
/// - Then it adds its bins to `bins`: at most 256 atomic operations on global memory per block.
///
/// @param bins 256 counters. The caller has set them to 0.
///
/// Example: the bytes {7, 7, 255} add 2 to bins[7] and 1 to bins[255].
__global__ void histogram(const unsigned char* in, int n, unsigned* bins);

/// Exercise 12.block_sum. Implement `block_sum`. Each block must add up its 256 elements of `in`
/// and write the sum to out[blockIdx.x].
/// - Add in shared memory, as a tree: 128 additions at once by the first 128 threads, then 64, and
///   so on. So whole warps work or rest.
/// - Use at most 9 calls of __syncthreads() per thread. All threads of a block must reach them.
/// - Accesses to shared memory must be free of bank conflicts.
/// - Leave warp functions to 12.warp_sum; the check does not look for them.
///
/// @param n elements of `in`. The last block may have fewer than 256.
///
/// Example: 300 ones and 2 blocks of 256 threads: out is {256, 44}.
__global__ void block_sum(const float* in, float* out, int n);

/// Exercise 12.smooth. `smooth.cu` is given, with three faults. Repair it. The kernel must compute
/// out[i] = (in[i - 1] + 2 * in[i] + in[i + 1]) / 4, where elements outside of `in` count as 0:
/// - A block has 128 threads, and handles tiles of 128 elements through shared memory. Block b
///   takes tiles b, b + gridDim.x, b + 2 * gridDim.x and so on.
/// - Keep the tile in shared memory: every element of `in` is loaded once per tile that needs it.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// ./course check 12.smooth reports one fault at a time, with its line and its threads.
///
/// Example: {4, 8, 4} becomes {4, 6, 4}.
__global__ void smooth(const float* in, float* out, int n);

/// Exercise 12.scan. Implement `scan` and `add_carry`. `scan` must write the inclusive sums of each
/// block's elements: out[i] is the sum of `in` from the block's first element to element i.
/// - It also writes the sum of all elements of the block to block_sums[blockIdx.x].
/// - A block has 256 threads, and all of them add: log2(256) = 8 steps are enough. Use at most 20
///   calls of __syncthreads() per thread, and cause no bank conflicts.
///
/// `add_carry` must then add to each element the sum of all blocks before its own. So these calls
/// compute the inclusive sums of up to 65,536 elements:
///
///     launch<scan>({blocks, 256}, in, out, sums, n);
///     launch<scan>({1, 256}, sums, scanned, total, blocks);
///     launch<add_carry>({blocks, 256}, out, scanned, n);
///
/// @param scanned_sums the inclusive sums of block_sums: scanned_sums[b] includes block b.
///
/// Example: 600 ones and 3 blocks: block_sums is {256, 256, 88}; after add_carry, out[i] is i + 1.
///@{
__global__ void scan(const int* in, int* out, int* block_sums, int n);
__global__ void add_carry(int* out, const int* scanned_sums, int n);
///@}

/// Exercise 12.warp_sum. Implement `warp_sum`. It must do what block_sum does, with shuffles:
/// - Each warp adds up its 32 values with __shfl_down_sync or __shfl_xor_sync.
/// - One lane of each warp writes the sum of the warp to shared memory; the first warp adds those.
/// - Use at most one call of __syncthreads() per thread.
/// - A block has a multiple of 32 threads, at most 1,024.
/// - Every lane that a mask names must make the call.
///
/// @param n elements of `in`. The last block may have fewer than blockDim.x.
///
/// Example: 300 ones and 2 blocks of 256 threads: out is {256, 44}.
__global__ void warp_sum(const float* in, float* out, int n);
