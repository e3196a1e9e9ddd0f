// The parts of CUDA C++ except the functions of a warp, for g++ and clang: qualifiers, the indices
// of a thread, barriers of a block, fences, assert, printf and the clock. Included by
// simt/kernel.h.
//
// Invariant: a shared variable is one per OS thread, because an OS thread runs one block at a time.
// `used` keeps loads and stores that a compiler would fold away for a variable of one thread.
#pragma once

#undef NDEBUG
#include <assert.h>  // its __assert_fail is the machine's (kernel_library/hooks.cpp)
#include <string.h>  // memcpy, memset and memmove, which CUDA has without a header
#include <time.h>    // clock, which counts a GPU's ticks in a kernel (kernel_library/hooks.cpp)

#include <cstdio>  // printf

#include "simt/device_calls.h"
#include "simt/vector_types.h"

#ifdef __clang__
#define __global__
#define __launch_bounds__(n, ...) __attribute__((aligned((n) > 0 ? 16 : 32)))  // no limit: uses n
#else  // g++ has no hook for the struct that a call takes or returns, so calls are inlined
#define __global__ __attribute__((flatten))
/// 32 instructions without effect in front of the kernel for each thread that a block may have
/// (hooks.cpp), because that is a number which g++ accepts also from a template.
#define __launch_bounds__(threads, ...) \
  __attribute__((patchable_function_entry((threads)*32u, (threads)*32u)))
#endif
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
/// The host fills it; the machine reports a kernel that writes it.
#define __constant__ __attribute__((section("td_constant")))
#ifdef __clang__
#define __shared__ thread_local __attribute__((used))
#else  // constinit, because g++ otherwise reads a guard before each use of a type with constructors
#define __shared__ constinit thread_local __attribute__((used))
#endif
#define __forceinline__ inline __attribute__((always_inline))
// Nothing, because libstdc++ writes __attribute__((__noinline__)).
#define __noinline__
#define __maxnreg__(registers)
#define __cluster_dims__(x, ...) __attribute__((aligned(td::simt::ClusterOfBlocks<(x)>::alignment)))
#define __align__(bytes) __attribute__((aligned(bytes)))

namespace td::simt {
template <int blocks>
struct ClusterOfBlocks {
  static_assert(blocks < 0, "clusters of thread blocks need a GPU: remove __cluster_dims__");
  static constexpr int alignment = 16;
};
}  // namespace td::simt

/// The place of the calling thread in its block and its grid, and the extents of both. None is a
/// dim3, because compilers assume that a constant of a type with constructors may change.
///@{
extern constinit thread_local const uint3 threadIdx, blockIdx, blockDim, gridDim;
inline constexpr int warpSize = 32;
///@}

TD_SIMT_INLINE void __syncthreads() { td::simt::block_barrier(td::simt::BlockBarrier::kPlain, 0); }
TD_SIMT_INLINE int __syncthreads_count(int predicate) {
  return td::simt::block_barrier(td::simt::BlockBarrier::kCount, predicate);
}
TD_SIMT_INLINE int __syncthreads_and(int predicate) {
  return td::simt::block_barrier(td::simt::BlockBarrier::kAnd, predicate);
}
TD_SIMT_INLINE int __syncthreads_or(int predicate) {
  return td::simt::block_barrier(td::simt::BlockBarrier::kOr, predicate);
}

TD_SIMT_INLINE void __threadfence() { td::simt::fence(); }
TD_SIMT_INLINE void __threadfence_block() { td::simt::fence(); }
TD_SIMT_INLINE void __threadfence_system() { td::simt::fence(); }

TD_SIMT_INLINE long long clock64() { return td::simt::clock_ticks(); }
TD_SIMT_INLINE void __nanosleep(unsigned) { td::simt::clock_ticks(); }
TD_SIMT_INLINE void __prof_trigger(int) {}
[[noreturn]] TD_SIMT_INLINE void __trap() { td::simt::trap("__trap()"); }
[[noreturn]] TD_SIMT_INLINE void __brkpt() {
  td::simt::trap("__brkpt(), and no debugger is there");
}
