// CUDA's built-in vector types, for kernels that g++ or clang compiles; nvcc has its own.
// Included by simt/kernel.h and by the machine.
#pragma once

#ifdef __CUDACC__
#include <vector_types.h>
#else

struct uint3 {
  unsigned x, y, z;
};

/// Extents of a grid or a block; what is not given is 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif
