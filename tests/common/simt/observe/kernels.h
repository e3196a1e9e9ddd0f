// The kernels of kernels.cu, for the tests that observe them on the machine.
#pragma once

#include "simt/kernel.h"

constexpr int kTile = 32;

__global__ void naive_transpose(const float* in, float* out, int n);
__global__ void narrow_transpose(const float* in, float* out, int n);
__global__ void padded_transpose(const float* in, float* out, int n);
__global__ void sum_without_barrier(const float* in, float* out, int n);
__global__ void sum_of_unwritten(const float* in, float* out, int n);
__global__ void histogram(const unsigned char* in, int n, unsigned* bins);
__global__ void racy_histogram(const unsigned char* in, int n, unsigned* bins);
__global__ void last_block_sum(const float* in, float* partial, unsigned* count, float* out, int n);
__global__ void unfenced_sum(const float* in, float* partial, unsigned* count, float* out, int n);
__global__ void warp_sum(const float* in, float* out);
__global__ void unsynchronized_warp_sum(const float* in, float* out);
__global__ void double_buffered_scan(const int* in, int* out);
__global__ void scan_in_place(const int* in, int* out);
__global__ void scale4(const float* in, float* out, int first);
__global__ void shared_overrun(const float* in, float* out);
__global__ void copy_pairs(const float* in, float* out, int first);
__global__ void pass_by_flag(int* out);
__global__ void half_tile(const half* in, half* out);
__global__ void left_neighbour(const float* in, float* out);
__global__ void tiled_matmul(const float* a, const float* b, float* c, int n);
__global__ void atomic_float_max(const float* in, float* most);
__global__ void exchange_by_helpers(const float* in, float* out);
__global__ void long_loops(const float* in, float* out, int n);
__global__ void one_long_loop(const float* in, float* out, int n);
