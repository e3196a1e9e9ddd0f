// How kernels walk their operands. Element-wise: one loop nest over the result's shape, with a
// stride per operand, in the order of memory and joined where possible, so that most launches have
// one loop. Reductions: loops over the results ("kept") and, for each result, over the elements
// that are combined
// ("reduced"). Both are passed to kernels by value.
#pragma once

#include <array>
#include <cstdint>

#include "td/kernels/fast_divisor.h"
#include "td/tensor/tensor.h"

namespace td {

/// Loop sizes and, for N operands (0 is the result), strides in elements. The last dimension is
/// the innermost. Trivially copyable, because it is part of a kernel's arguments.
template <int N>
struct Geometry {
  int dims = 1;
  std::int64_t numel = 0;
  std::int64_t sizes[kMaxDims];
  std::int64_t strides[N][kMaxDims];
};

/// Fills `sizes` and `strides` (rows of kMaxDims) for `count` operands; operands that are smaller
/// than operands[0] are broadcast (stride 0). Returns the number of dimensions left after joining.
/// @pre every operand broadcasts to operands[0]'s sizes.
int plan_loops(const Tensor* const* operands, int count, std::int64_t* sizes,
               std::int64_t (*strides)[kMaxDims]);

template <int N>
Geometry<N> plan(const Tensor* const (&operands)[N]) {
  Geometry<N> g;
  const Tensor& out = *operands[0];
  g.numel = out.numel();
  bool flat = true;
  for (const Tensor* t : operands)
    flat = flat && t->impl().contiguous && t->numel() == g.numel && t->dim() == out.dim();
  if (flat) {  // the common case: one loop, all strides 1
    g.sizes[0] = g.numel;
    for (int k = 0; k < N; ++k) g.strides[k][0] = 1;
  } else {
    g.dims = plan_loops(operands, N, g.sizes, g.strides);
  }
  return g;
}

/// A position in the loops of a Geometry, and the offset of each operand's element there.
template <int N>
struct LoopPosition {
  std::int64_t at[kMaxDims];
  std::int64_t offset[N] = {};

  /// The `index`-th position in loop order.
  LoopPosition(const Geometry<N>& g, std::int64_t index) {
    for (int d = g.dims - 1; d >= 0; --d) {
      at[d] = d ? index % g.sizes[d] : index;
      index = d ? index / g.sizes[d] : 0;
      for (int k = 0; k < N; ++k) offset[k] += at[d] * g.strides[k][d];
    }
  }
  /// Positions from here to the end of the innermost loop.
  std::int64_t left_in_row(const Geometry<N>& g) const {
    return g.sizes[g.dims - 1] - at[g.dims - 1];
  }
  /// Advances by n positions of the innermost loop, carrying into the outer ones.
  void advance(const Geometry<N>& g, std::int64_t n) {
    int d = g.dims - 1;
    at[d] += n;
    for (int k = 0; k < N; ++k) offset[k] += n * g.strides[k][d];
    for (; d > 0 && at[d] == g.sizes[d]; --d) {
      for (int k = 0; k < N; ++k) offset[k] += g.strides[k][d - 1] - g.sizes[d] * g.strides[k][d];
      at[d] = 0;
      ++at[d - 1];
    }
  }
};

/// The sizes that both broadcast to. @throws ShapeError naming `op` and both sizes.
Sizes broadcast_sizes(const char* op, IntArrayRef a, IntArrayRef b);

/// Nested loops, the last one innermost; strides in elements of the operand.
struct Loops {
  int dims = 0;
  std::int64_t count = 1;  ///< product of the sizes
  std::int64_t sizes[kMaxDims] = {};
  std::int64_t strides[kMaxDims] = {};

  /// The offset of the element that the `i`-th step of the loops reads.
  TD_HD std::int64_t offset(std::int64_t i) const {
    std::int64_t at = 0;
    for (int d = dims - 1; d > 0; --d) {
      const std::int64_t outer = quotient(i, sizes[d]);
      at += (i - outer * sizes[d]) * strides[d];
      i = outer;
    }
    return at + i * strides[0];
  }
};

/// Invariant: results are row-major and dense, so result i is written at out[i].
struct ReduceShape {
  Loops kept;
  Loops reduced;
};

/// A set of dimensions, one bit each.
using DimSet = std::uint32_t;

/// Loops of a reduction of `x` over the dimensions in `dims`. Neighbouring dimensions are joined
/// where the strides allow it. The order of both loop nests is that of the sizes.
ReduceShape plan_reduce(const Tensor& x, DimSet dims);

}  // namespace td
