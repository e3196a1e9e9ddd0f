// The kernels of chapter 11, which you write in files of their own: add.cu, saxpy.cu and so on.
// Included by those files, by exercises.h and by the tests. g++ compiles a kernel file for sim and
// nvcc compiles the same file for cuda. Invariant: it includes nothing but the language, so that a
// kernel file compiles in a moment. The exercises in host code are in exercises.h.
// The tests judge results, faults, and what a profiler counts: a kernel that loads and stores more
// sectors than its task allows fails, although its results are right.
#pragma once

#include "simt/kernel.h"
#ifdef __CUDACC__  // asynchronous copies: __pipeline_memcpy_async
#include <cuda_pipeline.h>
#else
#include "simt/async_copy.h"
#endif

/// Exercise 11.add. Implement `add`. It must compute c[i] = a[i] + b[i] for every i below n:
/// - One thread computes one element; neighboring threads compute neighboring elements.
/// - A thread whose index is n or more must not read or write memory: the grid is rounded up to
///   whole blocks.
///
/// @param a, b n elements each.
/// @param c n elements, to be written.
///
/// Example: launch<add>({.grid = 4, .block = 256}, a, b, c, 1000) runs 1,024 threads; 24 of them do
/// nothing.
__global__ void add(const float* a, const float* b, float* c, int n);

/// Exercise 11.saxpy. Implement `saxpy`. It must compute y[i] = a * x[i] + y[i] for every i below
/// n, with **any** grid and any block of one dimension:
/// - A thread computes several elements where there are fewer threads than elements. All blocks
///   share the work.
/// - Every element is written exactly once.
/// - In each step of its loop, neighboring threads access neighboring elements.
///
/// Example: 2 blocks of 64 threads and n = 300: thread 5 of block 1 (the 70th thread, index 69)
/// computes elements 69 and 197.
__global__ void saxpy(int n, float a, const float* x, float* y);

/// Exercise 11.transpose. Implement `transpose`. It must write the transpose of a row-major matrix:
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

/// Exercise 11.block_sum. Implement `block_sum`. Each block must add up its 256 elements of `in`
/// and write the sum to out[blockIdx.x].
/// - Add in shared memory, as a tree: 128 additions at once by the first 128 threads, then 64, and
///   so on. So whole warps work or rest.
/// - Use at most 9 calls of __syncthreads() per thread. All threads of a block must reach them.
/// - Accesses to shared memory must be free of bank conflicts.
/// - Leave warp functions to 11.warp_sum; the check does not look for them.
///
/// @param n elements of `in`. The last block may have fewer than 256.
///
/// Example: 300 ones and 2 blocks of 256 threads: out is {256, 44}.
__global__ void block_sum(const float* in, float* out, int n);

/// Exercise 11.smooth. `smooth.cu` is given, with three faults. Repair it. The kernel must compute
/// out[i] = (in[i - 1] + 2 * in[i] + in[i + 1]) / 4, where elements outside of `in` count as 0:
/// - A block has 128 threads, and handles tiles of 128 elements through shared memory. Block b
///   takes tiles b, b + gridDim.x, b + 2 * gridDim.x and so on.
/// - Keep the tile in shared memory: every element of `in` is loaded once per tile that needs it.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// ./course check 11.smooth reports one fault at a time, with its line and its threads.
///
/// Example: {4, 8, 4} becomes {4, 6, 4}.
__global__ void smooth(const float* in, float* out, int n);

/// Exercise 11.warp_sum. Implement `warp_sum`. It must do what block_sum does, with shuffles:
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

/// Exercise 11.histogram. Implement `histogram`. It must add to bins[v] how many of the n bytes of
/// `in` have the value v, with any grid and any block of one dimension:
/// - All blocks share the work. Each block counts in 256 bins of its own in shared memory.
/// - Then it adds its bins to `bins`: at most 256 atomic operations on global memory per block.
///
/// @param bins 256 counters. The caller has set them to 0.
///
/// Example: the bytes {7, 7, 255} add 2 to bins[7] and 1 to bins[255].
__global__ void histogram(const unsigned char* in, int n, unsigned* bins);

/// Exercise 11.scan. Implement `scan` and `add_carry`. `scan` must write the inclusive sums of each
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

/// Exercise 11.matmul. Implement `matmul`. It must compute C = A B for row-major matrices:
/// c[i * n + j] is the sum of a[i * k + p] * b[p * n + j] over p.
/// - A block has (16, 16) threads and computes one tile of 16 x 16 elements of C. The grid has
///   (n / 16, m / 16) blocks, rounded up. No size needs to be a multiple of 16.
/// - Tiles of A and B go through shared memory, so that each element is loaded from global memory
///   once per block.
/// - Loads must be coalesced, and accesses to shared memory free of bank conflicts.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// Example: A = {{1, 2}, {3, 4}} and B = {{5, 6}, {7, 8}} give C = {{19, 22}, {43, 50}}.
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k);

/// Exercise 11.tensor_matmul. Implement `tensor_matmul`. It must compute C = A B for row-major
/// matrices on Tensor Cores, with nvcuda::wmma:
/// - A block is one warp and computes one tile of 16 x 16 elements of C. The grid has
///   (n / 16, m / 16) blocks.
/// - Factors are half, sums are float.
/// - Each step takes 16 columns of A and 16 rows of B: use exactly k / 16 calls of mma_sync per
///   block.
///
/// @param m, n, k multiples of 16.
///
/// Example: with m = n = k = 16 and A the identity, C is B.
__global__ void tensor_matmul(const half* a, const half* b, float* c, int m, int n, int k);

/// Exercise 11.scale4. Implement `scale4`. It must multiply x[0] to x[n - 1] by `factor`, with any
/// grid and any block of one dimension, whose blocks share the work:
/// - Load and store four elements at once, as float4, wherever 16 bytes fit.
/// - A float4 must lie at a multiple of 16 bytes, and `x` may begin 4, 8 or 12 bytes after one. So
///   there may be up to 3 single elements at the beginning and up to 3 at the end.
///
/// Example: x at byte 4 of a block of 16 and n = 9: elements 0 to 2 one by one, 3 to 6 as one
/// float4, then 7 and 8 one by one.
__global__ void scale4(float* x, float factor, int n);

/// The given kernels of exercise 11.softcap (exercises.h): y = cap * tanh(x / cap), and the
/// gradient with respect to x, which is that of y times 1 - (y / cap)^2. One thread computes one
/// element.
///@{
__global__ void softcap_forward(const float* x, float* y, float cap, int n);
__global__ void softcap_backward(const float* grad_y, const float* y, float* grad_x, float cap,
                                 int n);
///@}

/// Exercise 11.naive_matmul. Implement `naive_matmul`. It must compute C = A B for row-major
/// matrices: c[i * n + j] is the sum of a[i * k + p] * b[p * n + j] over p.
/// - One thread computes one element of C. A block has (32, 8) threads and computes 8 rows of 32
///   elements. The grid has (n / 32, m / 8) blocks, rounded up, and no size needs to be a multiple.
/// - A thread outside of C must not read or write memory.
/// - Neighboring threads of a warp compute neighboring elements of a row, so that loads of B and
///   stores of C are coalesced. All loads of A in a warp have one address.
/// - Each element of C is stored once.
///
/// Example: A = {{1, 2}, {3, 4}} and B = {{5, 6}, {7, 8}} give C = {{19, 22}, {43, 50}}.
__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k);

/// Exercise 11.register_matmul. Complete `register_matmul`. It must compute C = A B as naive_matmul
/// does. The loads of the tiles and the stores are given; the products are missing:
/// - A block has (16, 16) threads and computes a tile of 64 x 64 elements of C. Each thread
///   computes 4 x 4 of them, whose rows and columns are 16 apart. The grid has (n / 64, m / 64)
///   blocks, rounded up.
/// - For each p, a thread loads four elements of tile_a and four of tile_b into variables of its
///   own, and adds 16 products. So it loads half an element of shared memory per product.
/// - Accesses to shared memory must be free of bank conflicts.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// Example: thread (3, 5) of block (0, 0) computes C[5][3], C[5][19], C[5][35], C[5][51], C[21][3]
/// and so on, up to C[53][51].
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k);

/// Exercise 11.attention. Complete `attention`. It must compute softmax(Q K^T / sqrt(d)) V for one
/// head, as torch.nn.functional.scaled_dot_product_attention does:
/// - The score of query i and key j is the sum of q[i * d + p] * k[j * d + p] over p, divided by
///   sqrt(d). Row i of `out` is the sum of exp(score) * (row j of v) over all keys j, divided by
///   the sum of all exp(score).
/// - A block is one warp and computes one row of `out`. There are as many blocks as queries.
/// - Walk over the keys once. Load each element of K and V once per block, and use no shared
///   memory: no array of scores would be long enough.
/// - So keep the largest score of the keys so far, and the sums relative to it. When a larger one
///   appears, multiply both sums by exp(old maximum - new maximum).
/// - Scores may be so large that exp(score) is infinite, or so small that it is 0 for all keys.
///   The result must be right to 4 digits.
///
/// @param q one row of d elements per block.
/// @param k, v keys rows of d elements each.
/// @param out one row per block, to be written.
/// @param d 1 to 32.
///
/// Example: with d = 1, q = {2}, k = {0, 0} and v = {1, 3}, both weights are 1/2 and out is {2}.
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d);

/// Exercise 11.pipelined_matmul. Complete `pipelined_matmul`. It must compute C = A B as matmul
/// does, while the next tiles are on their way:
/// - A block has (16, 16) threads and computes one tile of 16 x 16 elements of C. The grid has
///   (n / 16, m / 16) blocks.
/// - All tiles are copied to shared memory asynchronously, each once, into two buffers in turn.
///   `start` is given; it starts the copies of one thread. A thread's own copies are complete after
///   __pipeline_wait_prior(0), those of the other threads after a barrier as well.
/// - While a block adds the products of one pair of tiles, the copies of the next pair must be on
///   their way: a thread reads shared memory between the start of a copy and the wait for it. Only
///   for the first pair there is nothing to do meanwhile.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// @param m, n, k multiples of 16, at least 16. (`m` is not needed: the grid has only whole tiles.)
///
/// Example: with k = 48, buffer 0 gets the first and the third pair of tiles, buffer 1 the second.
__global__ void pipelined_matmul(const float* a, const float* b, float* c, int m, int n, int k);

/// Exercise 11.half2_saxpy. Implement `half2_saxpy`. It must compute y[i] = a * x[i] + y[i] in
/// half, two elements per instruction:
/// - A thread computes the elements 2 * i and 2 * i + 1, where i is its index in the grid. It loads
///   and stores them as one half2, and computes both with one __hfma2, which rounds once.
/// - If n is odd, the last element has no partner. One thread computes it alone.
/// - The grid has (n + 1) / 2 threads, rounded up to whole blocks.
///
/// @param x, y n elements each, at a multiple of 4 bytes.
///
/// Example: a = 2, x = {1, 2, 3} and y = {10, 20, 30}: thread 0 computes {12, 24} and thread 1
/// computes 36.
__global__ void half2_saxpy(int n, half a, const half* x, half* y);
