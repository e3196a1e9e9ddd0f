// The kernels of the machine's tests, in the .cu files of this folder. A line that a test names
// ends in a comment mark, `// mark: name`, which place_of_mark (marks.h) finds.
#pragma once

#include "simt/kernel.h"

// kernels.cu: what a kernel may do.
__global__ void add(const float* a, const float* b, float* out, int n);
__global__ void block_sum(const float* in, float* out, int n);
__global__ void dynamic_sum(const float* in, float* out, int n);
__global__ void dynamic_reverse(const double* in, double* out, int n);
__global__ void indices(int* out);
__global__ void copy4(const float4* in, float4* out, int n);
__global__ void barriers(float*, int count);
__global__ void count_forms(const int* in, int* out);
__global__ void atomics(int* ints, unsigned* counts, float* floats, double* doubles,
                        unsigned long long* wide);
__global__ void spin(int* flag, int* out);
__global__ void say(int* out);
__global__ void write_global_counter(int* out);
__global__ void halves(const half* in, half* out, __nv_bfloat16* brain);
__global__ void bits(int* out);
__global__ void absolutes(const float* f, const double* d, const long long* l, double* out);
__global__ void features(int* out, int2* pairs, uchar4* bytes);
template <class T>
__global__ void scale(T* x, T by);
__global__ void order(int* next, int* out);
__global__ void accesses(const float4* in, float* out, const int* index);
__global__ void copy_struct(const float3* in, float3* out);
__global__ void copy_memory(const float* in, float* out);

// launch_kernels.cu: unusual parameters.
struct LargeStruct {
  int numbers[1000];
};
struct Particle {
  float3 position;
  float mass;
};
__global__ void no_parameters();
__global__ void count_launches(int* out);
__global__ void many_parameters(int, int, int, int, int, int, int, int, int, int, int, int, int,
                                int, int, int, int, int* out);
__global__ void large_struct(LargeStruct values, int* out);
__global__ void pointers(const short* shorts, const Particle* particles, float** rows, void* any,
                         const int* missing, float* out);

// warp_kernels.cu: the functions of a warp, and what they report.
__global__ void shuffles(int* out);
__global__ void votes(unsigned* out);
__global__ void reductions(int* out);
__global__ void warp_sum(const float* in, float* out);
__global__ void both_branches(int* out);
__global__ void exited_lanes(int* out);
__global__ void not_in_mask(int* out);
__global__ void absent_source(int* out);
__global__ void prefix_sum_of_some(int* out);
__global__ void greatest_of_some(int* out);
__global__ void sum_of_ended_lanes(const int* in, int* out);
__global__ void active_mask(int* out);
__global__ void different_masks(int* out);
__global__ void bad_width(int* out);
__global__ void half_a_warp(int* out);
__global__ void different_functions(int* out);
__global__ void wrong_twice(int* out);

// fault_kernels.cu: what the machine ends or reports.
__global__ void divided_barrier(int* out);
__global__ void barrier_of_header(const int* in, int* out);
__global__ void early_return(int* out, int n);
__global__ void divide(const int* in, int* out);
__global__ void checks(const int* in, int* out);
__global__ void wild(int* out, long long offset);
__global__ void checks_alone(const int* in, int* out);  // first_report_kernels.cu
__global__ void endless(int* out);
__global__ void large_local(int* out);
__global__ void throws(int* out);
__global__ void device_function(const float* in, float* out);

// wait_kernels.cu: loops that wait.
__global__ void wait_for_warp(volatile int* ready, int* out);
__global__ void chained_sum(volatile int* ready, volatile int* sums);
__global__ void wait_for_each_other(volatile int* ready, int* out);
__global__ void wait_beside_barriers(volatile int* ready, int* out);
__global__ void wait_for_nobody(const int* flag, int* out);
__global__ void wait_at_barriers(int* out);

// memory_kernels.cu: memory that is easily overlooked.
__global__ void store_ranges(const float* in, float* out);
__global__ void share_ranges(const float* in, float* out);
__global__ void take_ranges(const float* in, float* out);
__global__ void two_arrays(const int* index, int* out);
__global__ void use_heap(int* out);
__global__ void leave_heap(int* out);
__global__ void call_virtual(const int* kinds, float* out);
__global__ void bounded(int* out);
template <int threads>
__global__ void bounded_template(int* out);
__global__ void use_other_name(double* out);
__global__ void use_line_of_tile(const float* in, float* out);
__global__ void misaligned_pairs(const double* in, double* out);
__global__ void leave_everything(int* out, long long step);

// matrix_kernels.cu: nvcuda::wmma.
__global__ void multiply(const half* a, const half* b, float* c, int m, int n, int k);
__global__ void multiply_brain(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c);
__global__ void multiply_doubles(const double* a, const double* b, double* c);
__global__ void multiply_wide(const half* a, const half* b, half* c);
__global__ void load_askew(const half* a, float* c, int begin, int leading);
__global__ void load_by_lane(const half* a, float* c);
__global__ void product_of_one_lane(const half* a, float* c);
