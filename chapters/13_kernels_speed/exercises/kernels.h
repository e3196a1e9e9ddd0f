// The kernels of chapter 13, which you write in files of their own: naive_matmul.cu, matmul.cu
// and so on. Included by those files, by exercises.h and by the tests. g++ compiles a kernel file
// for sim and nvcc compiles the same file for cuda. Invariant: it includes nothing but the
// language, so that a kernel file compiles in a moment. The exercises in host code are in
// exercises.h. The tests judge results, faults, and what a profiler counts: a kernel that loads and
// stores more sectors than its task allows fails, although its results are right.
#pragma once

#include "simt/kernel.h"

/// Exercise 13.naive_matmul. Complete `naive_matmul`. It must compute C = A B for row-major
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

/// Exercise 13.matmul. Complete `matmul`. It must compute C = A B for row-major matrices:
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

/// Exercise 13.register_matmul. Complete `register_matmul`. It must compute C = A B as naive_matmul
/// does. The loads of the tiles and the stores are given; the products are
/// missing:
/// - A block has (16, 16) threads and computes a tile of 64 x 64 elements of C. Each thread
///   computes 4 x 4 of them, whose rows and columns are 16 apart. The grid has (n / 64, m / 64)
///   blocks, rounded up.
/// - For each p, a thread loads four elements of tile_a and four of tile_b into variables of its
///   own, and adds 16 products. So it loads half an element of shared memory per product.
/// - Accesses to global memory must stay coalesced, and those to shared memory must be free of
///   bank conflicts.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// Example: thread (3, 5) of block (0, 0) computes C[5][3], C[5][19], C[5][35], C[5][51], C[21][3]
/// and so on, up to C[53][51].
__global__ void register_matmul(const float* a, const float* b, float* c, int m, int n, int k);

/// Exercise 13.async_matmul. Complete `async_matmul`. It must compute C = A B as matmul does,
/// while the next tiles are copied:
/// - A block has (16, 16) threads and computes one tile of 16 x 16 elements of C. The grid has
///   (n / 16, m / 16) blocks.
/// - All tiles are copied to shared memory asynchronously, each once, into two buffers in turn.
///   `start` is given; it starts the copies of one thread. A thread's own copies are complete after
///   __pipeline_wait_prior(0), those of the other threads after a barrier as well.
/// - While a block adds the products of one pair of tiles, the copies of the next pair must be in
///   flight: a thread reads shared memory between the start of a copy and the wait for it. Only
///   for the first pair there is nothing to do meanwhile.
/// - Accesses to shared memory must be free of bank conflicts.
/// - Use at most 2 calls of __syncthreads() per thread and tile.
///
/// @param m, n, k multiples of 16, at least 16. (`m` is not needed: the grid has only whole tiles.)
///
/// Example: with k = 48, buffer 0 gets the first and the third pair of tiles, buffer 1 the second.
__global__ void async_matmul(const float* a, const float* b, float* c, int m, int n, int k);

/// Exercise 13.repair_linear. Repair `linear_forward`, the product of torch.nn.Linear, y = x W^T:
/// y[r * outputs + o] is the sum of x[r * depth + p] * weight[o * depth + p] over p. The file
/// compiles and runs, but it has three faults. Its author reports:
///   - "On a GPU, some results are wrong, and others in each run."
///   - "The copies are asynchronous, but it is no faster than with plain loads."
///   - "Nsight Compute says that shared memory is the limit: a load takes 32 passes."
///
/// After the repair, the kernel must do what its author wanted:
/// - A block has (32, 8) threads and computes 8 rows and 32 columns of y. The grid has
///   (outputs / 32, rows / 8) blocks.
/// - All tiles are copied asynchronously, each once, into two buffers in turn, and the accesses to
///   global memory are coalesced.
/// - While a block adds the products of one pair of tiles, the copies of the next pair are in
///   flight: a thread reads shared memory between the start of a copy and the wait for it.
/// - Accesses to shared memory are free of bank conflicts.
/// - Use at most 2 calls of __syncthreads() per thread and pair of tiles.
///
/// @param x rows x depth elements; the number of rows is a multiple of 8.
/// @param weight outputs x depth elements; both are multiples of 32.
///
/// Example: with depth = 96, buffer 0 gets the first and the third pair of tiles.
__global__ void linear_forward(const float* x, const float* weight, float* y, int outputs,
                               int depth);

/// Exercise 13.tensor_matmul. Complete `tensor_matmul`. It must compute C = A B for row-major
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

/// Exercise 13.half2_saxpy. Complete `half2_saxpy`. It must compute y[i] = a * x[i] + y[i] in
/// half, two elements per instruction:
/// - A thread computes the elements 2 * i and 2 * i + 1, where i is its index in the grid. It loads
///   and stores them as one half2.
/// - Each result is the half nearest to the exact a * x[i] + y[i]: __hfma2 rounds once. A way
///   through float rounds to float and then to half, which can give another half.
/// - Neighboring threads access neighboring pairs.
/// - If n is odd, the last element has no partner. One thread computes it alone.
/// - The grid has (n + 1) / 2 threads, rounded up to whole blocks.
///
/// @param x, y n elements each, at a multiple of 4 bytes.
///
/// Example: a = 2, x = {1, 2, 3} and y = {10, 20, 30}: thread 0 computes {12, 24} and thread 1
/// computes 36.
__global__ void half2_saxpy(int n, half a, const half* x, half* y);

/// The given kernels of exercise 13.softcap (exercises.h): y = cap * tanh(x / cap), and the
/// gradient with respect to x, which is that of y times 1 - (y / cap)^2. One thread computes one
/// element.
///@{
__global__ void softcap_forward(const float* x, float* y, float cap, int n);
__global__ void softcap_backward(const float* grad_y, const float* y, float* grad_x, float cap,
                                 int n);
///@}

/// Exercise 13.attention. Complete `attention`. It must compute softmax(Q K^T / sqrt(d)) V for one
/// head, as torch.nn.functional.scaled_dot_product_attention does:
/// - The score of query i and key j is the sum of q[i * d + p] * k[j * d + p] over p, divided by
///   sqrt(d). Row i of `out` is the sum of exp(score) * (row j of v) over all keys j, divided by
///   the sum of all exp(score).
/// - A block is one warp and computes one row of `out`. There are as many blocks as queries.
/// - Lane p has element p of each row, so that loads are coalesced.
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
