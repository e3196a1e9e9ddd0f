// The kernels of chapter 11, which you write in files of their own: add.cu, saxpy.cu and so on.
// Included by those files, by exercises.h and by the tests. g++ compiles a kernel file for sim and
// nvcc compiles the same file for cuda. Invariant: it includes nothing but the language, so that a
// kernel file compiles in a moment.
// The tests judge results, faults, and what a profiler counts: a kernel that loads and stores more
// sectors than its task allows fails, although its results are right.
#pragma once

#include "simt/kernel.h"

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

/// Exercise 11.scale4. Implement `scale4`. It must multiply x[0] to x[n - 1] by `factor`, with any
/// grid and any block of one dimension, whose blocks share the work:
/// - Load and store four elements at once, as float4, wherever 16 bytes fit.
/// - A float4 must lie at a multiple of 16 bytes, and `x` may begin 4, 8 or 12 bytes after one. So
///   there may be up to 3 single elements at the beginning and up to 3 at the end.
///
/// Example: x at byte 4 of a block of 16 and n = 9: elements 0 to 2 one by one, 3 to 6 as one
/// float4, then 7 and 8 one by one.
__global__ void scale4(float* x, float factor, int n);
