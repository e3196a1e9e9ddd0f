// The kernels of chapter 13, which you write in files of their own: matmul.cu, tensor_matmul.cu and
// so on. Included by those files, by exercises.h and by the tests. g++ compiles a kernel file for
// sim and nvcc compiles the same file for cuda. Invariant: it includes nothing but the language, so
// that a kernel file compiles in a moment. The exercises in host code are in exercises.h. The tests
// judge results, faults, and what a profiler counts: a kernel that loads and stores more sectors
// than its task allows fails, although its results are right.
#pragma once

#include "simt/kernel.h"

/// Exercise 13.matmul. Implement `matmul`. It must compute C = A B for row-major matrices:
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

/// Exercise 13.tensor_matmul. Implement `tensor_matmul`. It must compute C = A B for row-major
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

/// The given kernels of exercise 13.softcap (exercises.h): y = cap * tanh(x / cap), and the
/// gradient with respect to x, which is that of y times 1 - (y / cap)^2. One thread computes one
/// element.
///@{
__global__ void softcap_forward(const float* x, float* y, float cap, int n);
__global__ void softcap_backward(const float* grad_y, const float* y, float* grad_x, float cap,
                                 int n);
///@}
