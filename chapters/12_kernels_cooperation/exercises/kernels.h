// The kernels of chapter 12, which you write in files of their own: transpose.cu, block_sum.cu and
// so on. Included by those files, by exercises.h and by the tests. g++ compiles a kernel file for
// sim and nvcc compiles the same file for cuda. Invariant: it includes nothing but the language, so
// that a kernel file compiles in a moment. The tests judge results, faults, and what a profiler
// counts: a kernel that loads and stores more sectors than its task allows fails, although its
// results are right.
#pragma once

#include "simt/kernel.h"

/// Exercise 12.roll_tile. Implement `roll_tile`. Each block must move its own 256 elements by one
/// place: each thread stores the element of the next thread, and the last thread the first element.
/// The last block may have fewer than 256 elements, and moves those.
/// - A block has 256 threads. Each of them loads at most one element of `in`.
/// - The elements go through shared memory: a thread writes one element of `s` and reads another.
/// - Use one call of __syncthreads() per thread. All threads of a block must reach it.
///
/// @param n elements of `in` and of `out`.
///
/// Example: with n = 259, out[0] is in[1], out[255] is in[0], and the last three elements of `out`
/// are in[257], in[258], in[256].
__global__ void roll_tile(const float* in, float* out, int n);

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

/// Exercise 12.max_pool. Implement `max_pool`. It must write the largest of each element and its
/// two neighbors: out[i] is the maximum of in[i - 1], in[i] and in[i + 1]. Elements outside of `in`
/// do not count, so they must not win against negative numbers.
/// - A block has 256 threads and computes 256 elements of `out` from 258 of `in`, in shared memory.
/// - Each block loads an element of `in` at most once.
/// - Use one call of __syncthreads() per thread.
///
/// @param n elements of `in` and of `out`, all of them finite.
///
/// Example: {-4, -1, -3, -3} becomes {-1, -1, -1, -3}.
__global__ void max_pool(const float* in, float* out, int n);

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

/// Exercise 12.conv_1d. Implement `conv_1d`. It must compute out[i] as the sum of
/// weight[k] * in[i + k] over all k below `width`. Elements past the end of `in` count as 0.
/// - A block has 128 threads and computes 128 elements of `out`. It needs 128 + width - 1 elements
///   of `in`, so some threads load two.
/// - Each block loads an element of `in` and of `weight` at most once.
/// - Use one call of __syncthreads() per thread.
///
/// @param n elements of `in` and of `out`.
/// @param width 1 to 32 elements of `weight`.
///
/// Example: {1, 2, 3, 4} with the weights {1, 10} becomes {21, 32, 43, 4}.
__global__ void conv_1d(const float* in, const float* weight, float* out, int n, int width);

/// Exercise 12.conv_2d. Implement `conv_2d`. It must compute each element of `out` from 3 x 3
/// elements of `in`: the sum of weight[3 * dr + dc] * in(r + dr - 1, c + dc - 1) over dr and dc
/// from 0 to 2. Elements outside of `in` count as 0.
/// - A block has (32, 8) threads and computes 8 rows and 32 columns of `out`. The grid has
///   (cols / 32, rows / 8) blocks, rounded up.
/// - Each block loads an element of `in` at most once: 10 rows and 34 columns, in shared memory.
/// - Loads from shared memory must be free of bank conflicts.
/// - Use one call of __syncthreads() per thread.
///
/// @param in, out row-major, rows x cols elements.
/// @param weight 9 elements.
///
/// Example: one row {1, 2, 3} with the weights {0, 0, 0, 1, 1, 1, 0, 0, 0} becomes {3, 6, 5}.
__global__ void conv_2d(const float* in, const float* weight, float* out, int rows, int cols);

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

/// Exercise 12.dot. Implement `dot`. It must add to out[0] the sum of a[i] * b[i] over all i below
/// n, with any grid of blocks of 256 threads. The caller has set out[0] to 0.
/// - All blocks share the work, with loads that are coalesced: a grid-stride loop.
/// - Each block then adds up the sums of its threads with sum_of_block(), which is given in dot.cu.
/// - Use at most one atomic operation on `out` per block.
///
/// Example: {1, 2, 3} and {4, 5, 6} add 32 to out[0].
__global__ void dot(const float* a, const float* b, float* out, int n);

/// Exercise 12.total. `total.cu` is given, with three faults. Repair it. The kernel must add to
/// out[0] the sum of all n elements. The caller has set out[0] to 0.
/// - A block has 256 threads, one for each element.
/// - Add in shared memory, as a tree in which whole warps work or rest.
/// - Use at most 9 calls of __syncthreads() per thread.
/// - Accesses to shared memory must be free of bank conflicts.
/// - Use at most one atomic operation on `out` per block.
///
/// ./course check 12.total reports one fault at a time, with its line and its threads.
///
/// Example: 300 ones and 2 blocks add 300 to out[0].
__global__ void total(const float* in, float* out, int n);

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

/// Exercise 12.axis_sum. Implement `sum_of_rows` and `sum_of_columns`, for a row-major matrix:
/// out[r] is the sum of row r, and out[c] is the sum of column c.
/// - sum_of_rows: a block has (32, 8) threads, and each of its warps adds up one row. The grid has
///   rows / 8 blocks, rounded up.
/// - sum_of_columns: a block has 256 threads, and each thread adds up one column. The grid has
///   cols / 256 blocks, rounded up.
/// - Each element is loaded once, and loads must be coalesced: in both kernels, one load of a warp
///   takes up to 32 neighboring elements of a row.
/// - Each sum is stored once.
///
/// @param in rows x cols elements.
///
/// Example: {1, 2, 3, 4, 5, 6} with 2 rows and 3 columns has the sums {6, 15} of its rows and
/// {5, 7, 9} of its columns.
///@{
__global__ void sum_of_rows(const float* in, float* out, int rows, int cols);
__global__ void sum_of_columns(const float* in, float* out, int rows, int cols);
///@}

/// Exercise 12.below_max. Implement `below_max`. Each warp must find the largest of its 32 elements
/// and subtract it from all of them: out[i] = in[i] - largest.
/// - A block has a multiple of 32 threads, at most 1,024. Thread i takes element i.
/// - The values stay in registers: use __shfl_xor_sync, which gives the maximum to all lanes, no
///   shared memory and no barrier.
/// - The last warp may have fewer than 32 elements; the missing ones do not count.
///
/// @param n elements of `in` and of `out`, all of them finite.
///
/// Example: 40 elements, where element i is i: out[0] is -31, out[31] is 0, out[39] is 0.
__global__ void below_max(const float* in, float* out, int n);

/// Exercise 12.row_softmax. Implement `row_softmax`. It must compute the softmax of each row of a
/// row-major matrix: exp(x - m) divided by the sum of all exp(x - m) of the row, where m is the
/// largest element of the row. Without m, exp(1000) would be infinite.
/// - A block has (32, 4) threads, and each of its warps computes one row. The grid has rows / 4
///   blocks, rounded up.
/// - Each element of `in` is loaded at most three times, and loads must be coalesced.
/// - Results may differ from the exact ones by at most 0.000001.
///
/// @param in, out rows x cols finite elements.
///
/// Example: the row {1000, 1000, 1000, 1000} becomes {0.25, 0.25, 0.25, 0.25}.
__global__ void row_softmax(const float* in, float* out, int rows, int cols);

/// Exercise 12.warp_scan. Implement `warp_scan`. It must write the running sums of each warp's 32
/// elements: out[i] is the sum of `in` from the warp's first element to element i.
/// - A block has a multiple of 32 threads, at most 1,024. Thread i takes element i.
/// - The values stay in registers: use __shfl_up_sync, no shared memory and no barrier.
/// - A lane must not read from one that does not make the call: shuffle outside of branches.
///
/// Example: with 34 ones, out[0] is 1, out[31] is 32, and out[33] is 2.
__global__ void warp_scan(const float* in, float* out, int n);

/// Exercise 12.group_sum. Implement `group_sum` with cooperative groups. It must write the sum of
/// each 8 neighboring elements: out[g] is the sum of in[8 * g] to in[8 * g + 7].
/// - A block has a multiple of 8 threads, at most 1,024. Thread i takes element i.
/// - Split the block into groups of 8 threads with tiled_partition, and add with reduce; the check
///   does not look for them. Use no shared memory and no barrier.
/// - The last group may have fewer than 8 elements.
///
/// @param out n / 8 elements, rounded up.
///
/// Example: 10 ones become {8, 2}.
__global__ void group_sum(const float* in, float* out, int n);

/// Exercise 12.histogram. Implement `histogram`. It must add to bins[v] how many of the n bytes of
/// `in` have the value v, with any grid and any block of one dimension:
/// - All blocks share the work. Each block counts in 256 bins of its own in shared memory.
/// - Then it adds its bins to `bins`: at most 256 atomic operations on global memory per block.
///
/// @param bins 256 counters. The caller has set them to 0.
///
/// Example: the bytes {7, 7, 255} add 2 to bins[7] and 1 to bins[255].
__global__ void histogram(const unsigned char* in, int n, unsigned* bins);

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
