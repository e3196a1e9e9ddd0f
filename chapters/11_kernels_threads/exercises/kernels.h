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

/// Exercise 11.flip. Implement `flip`. It must mirror a row-major image from left to right:
/// out[r * cols + c] = in[r * cols + (cols - 1 - c)].
/// - One thread computes one element. Grid and block have two dimensions: `.x` counts columns and
///   `.y` counts rows. Both may have any size.
/// - The grid is rounded up to whole blocks in both dimensions. A thread without an element must
///   not read or write memory.
///
/// @param in, out rows x cols elements each.
///
/// Example: {1, 2, 3, 4, 5, 6} with 2 rows and 3 columns becomes {3, 2, 1, 6, 5, 4}. With blocks of
/// (2, 2) threads, the grid has (2, 1) blocks, and two threads have no column.
__global__ void flip(const float* in, float* out, int rows, int cols);

/// Exercise 11.broadcast_add. Implement `broadcast_add`. It must add a column and a row, as PyTorch
/// broadcasts them: out[r * cols + c] = column[r] + row[c].
/// - One thread computes one element. Grid and block have two dimensions of any size: `.x` counts
///   columns and `.y` counts rows.
/// - The grid is rounded up to whole blocks in both dimensions. A thread without an element must
///   not read or write memory.
///
/// @param column rows elements.
/// @param row cols elements.
/// @param out rows x cols elements, to be written.
///
/// Example: column {10, 20} and row {1, 2, 3} give {11, 12, 13, 21, 22, 23}.
__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols);

/// Exercise 11.gather_rows. Implement `gather_rows`, the forward pass of an embedding. It must copy
/// row indices[b] of the table to row b of the output: out[b * dim + j] = table[indices[b] * dim +
/// j] for every j below dim.
/// - Block b copies row b. Blocks have one dimension and any size, also fewer threads than dim.
/// - An index below 0 means padding: the row of the output is 0.
/// - Neighboring threads access neighboring elements.
///
/// @param table rows of dim elements.
/// @param indices one per block; smaller than the number of the table's rows.
/// @param out gridDim.x rows of dim elements, to be written.
///
/// Example: table {{1, 2}, {3, 4}, {5, 6}} and indices {2, -1, 2} give {{5, 6}, {0, 0}, {5, 6}}.
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim);

/// Exercise 11.coalesce. `coalesce.cu` is given: its results are right, but it is slow. It is the
/// last step of a layer norm, out[r][c] = in[r][c] * scale[c] + shift[c], for row-major matrices.
/// Each thread walks along rows of its own. Repair it by its profile, which
/// ./course check 11.coalesce prints: the line with the largest excess comes first.
/// - Grid and block have one dimension and any size; all threads share the work.
/// - Each load and store must take the least sectors that it can, where cols is a multiple of 32.
/// - The parameters stay as they are: scale_shift[2 * c] is scale[c] and scale_shift[2 * c + 1] is
///   shift[c]. `scale_shift` begins at a multiple of 256 bytes.
///
/// Example: in {1, 2, 3, 4} with 2 rows and 2 columns, scale {10, 100} and shift {0, 5} give {10,
/// 205, 30, 405}.
__global__ void affine(const float* in, const float* scale_shift, float* out, int rows, int cols);

/// Exercise 11.add_on_gpu. Implement `add_on_gpu`: the host code around a kernel, with CUDA's own
/// functions. It must compute c[i] = a[i] + b[i] on the GPU for arrays of the host:
/// - Allocate memory of the device with cudaMalloc, and copy both arguments there with cudaMemcpy.
/// - Launch the given kernel `add_elements` with <<<grid, block>>>: blocks of `threads` threads,
/// and
///   enough of them for n elements.
/// - Copy the result back, and free all memory that you allocated: also after an error.
/// - A launch returns no error. Ask for it with cudaGetLastError().
///
/// @param n at least 1.
/// @return 0 (cudaSuccess), or the first error that CUDA returned.
///
/// Example: add_on_gpu(a, b, c, 1000, 256) launches 4 blocks. With 2048 threads per block it
/// returns cudaErrorInvalidConfiguration, because a block has at most 1,024 threads.
int add_on_gpu(const float* a, const float* b, float* c, int n, int threads);

/// Exercise 11.launch_shape. Implement `launch_shape`: host code that launches the given kernel
/// `fill_index` on a matrix in memory of the device, out[r * cols + c] = r * cols + c.
/// - A block has (block_x, block_y) threads: `.x` counts columns and `.y` counts rows.
/// - The grid is as small as possible, so that it covers all columns and all rows. But CUDA allows
///   at most 65,535 blocks in `.y`. Launch 65,535 if the rows need more: the kernel has a loop for
///   the other rows.
///
/// @return 0 (cudaSuccess), or the error of the launch.
///
/// Example: a matrix of 100 rows and 40 columns in blocks of (32, 8) threads needs a grid of (2,
/// 13) blocks.
int launch_shape(float* out, int rows, int cols, int block_x, int block_y);
/// Given: calls launch_shape with memory of the device, and copies the result to `elements`.
int fill_matrix(float* elements, int rows, int cols, int block_x, int block_y);

/// Exercise 11.two_streams. Implement `double_in_halves`. It must double the elements of an array,
/// in two halves that overlap: while the GPU computes one half, the other one is copied.
/// - Each half has a stream of its own, in which it is copied to the device with cudaMemcpyAsync,
///   doubled by the given kernel `double_elements`, and copied back with cudaMemcpyAsync. Queue all
///   six operations before you wait.
/// - Nothing orders the two streams, so each half needs memory of its own on the device.
/// - Then wait for both streams. The given lines make the streams and the memory, and free them.
///
/// @param host n elements in pinned memory, to be doubled in place.
/// @param n an even number.
/// @return 0 (cudaSuccess).
///
/// Example: n = 1000: the first stream doubles elements 0 to 499, and the second one 500 to 999.
int double_in_halves(float* host, int n);
/// Given: copies n elements into pinned memory, calls double_in_halves, and copies them back.
int double_array(float* elements, int n);

/// Exercise 11.repair_program. Repair `scale_columns`, which multiplies each column of a matrix by
/// a number on the GPU: matrix[r * cols + c] *= scale[c]. The file compiles and runs, but its host
/// code has four faults. Its author reports:
///   - "With 100 columns, the last four keep their values. With 96 columns, all are right."
///   - "Now and then the matrix does not change. If I print something first, it does."
///   - "After many thousand calls, cudaMalloc finds no memory."
///   - "With blocks of 64 rows the matrix never changes, and the function returns 0."
///
/// After the repair, the function must do what its author wanted:
/// - Each block has (32, block_rows) threads, and the grid covers all columns and all rows.
/// - When it returns 0, the matrix has the results.
/// - It frees all that it allocated, also after an error.
///
/// @param matrix rows x cols elements in memory of the host, to be changed in place.
/// @param scale cols elements in memory of the host.
/// @return 0 (cudaSuccess), or the first error that CUDA returned. Blocks of more than 1,024
/// threads are an error, and the next call must not return that error again.
///
/// Example: {1, 2, 3, 4} with 2 rows, 2 columns and scale {10, 100} becomes {10, 200, 30, 400}.
int scale_columns(float* matrix, const float* scale, int rows, int cols, int block_rows);
