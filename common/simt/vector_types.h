// CUDA's built-in vector types, for kernels that g++ or clang compiles; nvcc has its own.
// Included by simt/kernel.h and by the machine.
//
// Invariant: a vector of 4, 8 or 16 bytes is copied in one piece, as a GPU copies it. Compilers
// split the copy of a plain struct into its members; these are copied as one SIMD vector.
#pragma once

#ifdef __CUDACC__
#include <vector_types.h>
#else

struct uint3 {
  unsigned x, y, z;
};

/// Extents of a grid or a block; extents that are not given are 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

struct int3 {
  int x, y, z;
};
struct float3 {
  float x, y, z;
};
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }

/// What the vectors of one size share: the copy in one piece.
#define TD_SIMT_COPIES_AS_ONE(name)                                                              \
  using Piece = unsigned char __attribute__((vector_size(sizeof(Members)), may_alias));          \
  name() = default;                                                                              \
  name(const name& v) { *reinterpret_cast<Piece*>(this) = *reinterpret_cast<const Piece*>(&v); } \
  name& operator=(const name& v) {                                                               \
    *reinterpret_cast<Piece*>(this) = *reinterpret_cast<const Piece*>(&v);                       \
    return *this;                                                                                \
  }

#define TD_SIMT_VECTOR2(name, T)                 \
  struct alignas(2 * sizeof(T)) name {           \
    struct Members {                             \
      T x, y;                                    \
    };                                           \
    T x, y;                                      \
    TD_SIMT_COPIES_AS_ONE(name)                  \
    constexpr name(T x_, T y_) : x(x_), y(y_) {} \
  };                                             \
  inline name make_##name(T x, T y) { return {x, y}; }

#define TD_SIMT_VECTOR4(name, T)                                           \
  struct alignas(4 * sizeof(T)) name {                                     \
    struct Members {                                                       \
      T x, y, z, w;                                                        \
    };                                                                     \
    T x, y, z, w;                                                          \
    TD_SIMT_COPIES_AS_ONE(name)                                            \
    constexpr name(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {} \
  };                                                                       \
  inline name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }

TD_SIMT_VECTOR4(char4, signed char)
TD_SIMT_VECTOR4(uchar4, unsigned char)
TD_SIMT_VECTOR2(int2, int)
TD_SIMT_VECTOR4(int4, int)
TD_SIMT_VECTOR2(uint2, unsigned)
TD_SIMT_VECTOR4(uint4, unsigned)
TD_SIMT_VECTOR2(float2, float)
TD_SIMT_VECTOR4(float4, float)
TD_SIMT_VECTOR2(longlong2, long long)
TD_SIMT_VECTOR2(ulonglong2, unsigned long long)
TD_SIMT_VECTOR2(double2, double)

#undef TD_SIMT_VECTOR2
#undef TD_SIMT_VECTOR4
#undef TD_SIMT_COPIES_AS_ONE

#endif
