// The kernels of the tests of CUDA's language, in the .cu files of this folder. nvcc does not
// compile them, because they include headers of common/cuda/include.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "simt/kernel.h"

// group_kernels.cu: cooperative groups and what libcu++ has for them.
__global__ void block_group(int* out);
__global__ void tiles(int* of_4, int* of_32);
__global__ void large_tiles(int* sums, int* last);
__global__ void lanes_of_branch(int* out);
__global__ void partitions(int* out);
__global__ void aggregated_count(const int* in, int* count);
__global__ void grid_steps(int* a, int* b, int steps);
__global__ void grid_half(int* out);
__global__ void grid_race(int* a, int* out);
__global__ void mixed_barriers(int* out);
template <bool waits>
__global__ void double_buffer(const float* in, float* out, int tiles);
template <bool after_barrier, int buffers>
__global__ void copy_ahead(const float* in, float* out, int tiles);
template <bool waits>
__global__ void copy_two_ahead(const float* in, float* out, int tiles);
__global__ void unawaited_copies(const float* in, float* out);
__global__ void pipelined(const float* in, float* out, int tiles);
__global__ void divided_pipeline(const float* in, float* out, int tiles);
__global__ void group_copy(const float* in, float* out);
__global__ void barrier_phases(int* out);
__global__ void passed_on(int* data, int* flag, int* out);

// number_kernels.cu: arithmetic, vector types and memory.
struct Nested {
  short4 shorts;
  double2 doubles;
};
__global__ void integers(const unsigned* a, const unsigned* b, unsigned* out);
__global__ void roundings(const float* a, const float* b, float* out, int* whole);
__global__ void functions(const double* x, double* out);
__global__ void half_roundings(half* out, __nv_bfloat16* brain);
template <class H, class H2>
__global__ void half_functions(const H* in, H* out, float* floats, int* ints);
__global__ void half_atomics(half2* pairs, __nv_bfloat16* brain, unsigned short* taken);
__global__ void vectors(const float4* in, float4* out, Nested* nested);
void* address_of_weights();
__global__ void read_constants(float* out);
__global__ void write_constant(float* out);
__global__ void address_spaces(int* global, int* out);
__global__ void removed_functions(int* out);
__global__ void give_up(int* out);
