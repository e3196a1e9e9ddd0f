// CUDA's built-in vector types, for kernels that g++ or clang compiles; nvcc has its own.
// Included by simt/kernel.h and by the machine.
//
// Invariant: a vector of 2, 4, 8 or 16 bytes that is aligned to its size is copied in one piece, as
// a GPU copies it. Compilers split the copy of a plain struct into its members.
#pragma once

#ifdef __CUDACC__
#include <vector_types.h>
#else

/// In a struct: its copies are in one piece.
#ifdef __clang__  // which then copies it as one SIMD vector
#define TD_SIMT_ONE_PIECE(name, size)                                                            \
  using Piece = unsigned char __attribute__((vector_size(size), may_alias));                     \
  name(const name& v) { *reinterpret_cast<Piece*>(this) = *reinterpret_cast<const Piece*>(&v); } \
  name& operator=(const name& v) {                                                               \
    *reinterpret_cast<Piece*>(this) = *reinterpret_cast<const Piece*>(&v);                       \
    return *this;                                                                                \
  }
#define TD_SIMT_CONSTRUCTORS(name, ...) \
  name() = default;                     \
  constexpr name __VA_ARGS__
#else
// g++ does not split a struct that has a volatile member, be it one without bits. It is a char,
// because one of type int would make a struct of two chars as large as an int.
#define TD_SIMT_ONE_PIECE(name, size) volatile signed char : 0;
#define TD_SIMT_CONSTRUCTORS(name, ...)  // so it is an aggregate
#endif

#define TD_SIMT_VECTORS_UP_TO_3(name, T)                         \
  struct name##1 {                                               \
    T x;                                                         \
  };                                                             \
  struct alignas(2 * sizeof(T)) name##2 {                        \
    T x, y;                                                      \
    TD_SIMT_ONE_PIECE(name##2, 2 * sizeof(T))                    \
    TD_SIMT_CONSTRUCTORS(name##2, (T x_, T y_) : x(x_), y(y_){}) \
  };                                                             \
  struct name##3 {                                               \
    T x, y, z;                                                   \
  };                                                             \
  inline name##1 make_##name##1(T x) { return {x}; }             \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }     \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }

#define TD_SIMT_VECTORS(name, T)                                                           \
  TD_SIMT_VECTORS_UP_TO_3(name, T)                                                         \
  struct alignas(4 * sizeof(T)) name##4 {                                                  \
    T x, y, z, w;                                                                          \
    TD_SIMT_ONE_PIECE(name##4, 4 * sizeof(T))                                              \
    TD_SIMT_CONSTRUCTORS(name##4, (T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_){}) \
  };                                                                                       \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

/// Those of 32 bytes, which a GPU copies in two pieces.
#define TD_SIMT_LONG_VECTORS(name, T) \
  TD_SIMT_VECTORS_UP_TO_3(name, T)    \
  struct alignas(16) name##4 {        \
    T x, y, z, w;                     \
  };                                  \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

TD_SIMT_VECTORS(char, signed char)
TD_SIMT_VECTORS(uchar, unsigned char)
TD_SIMT_VECTORS(short, short)
TD_SIMT_VECTORS(ushort, unsigned short)
TD_SIMT_VECTORS(int, int)
TD_SIMT_VECTORS(uint, unsigned)
TD_SIMT_VECTORS(float, float)
TD_SIMT_LONG_VECTORS(long, long)
TD_SIMT_LONG_VECTORS(ulong, unsigned long)
TD_SIMT_LONG_VECTORS(longlong, long long)
TD_SIMT_LONG_VECTORS(ulonglong, unsigned long long)
TD_SIMT_LONG_VECTORS(double, double)

#undef TD_SIMT_LONG_VECTORS
#undef TD_SIMT_VECTORS
#undef TD_SIMT_VECTORS_UP_TO_3
#undef TD_SIMT_CONSTRUCTORS

/// Extents of a grid or a block; extents that are not given are 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif
