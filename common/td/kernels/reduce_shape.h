// How a reduction walks its operand: loops over the results ("kept") and, for each result, loops
// over the elements that are combined ("reduced"). Made by plan_reduce; travels inside kernels.
// Invariant: results lie row-major and dense, so result i is written at out[i].
#pragma once

#include <cstdint>

#include "td/kernels/fast_divisor.h"
#include "td/tensor/tensor.h"

namespace td {

/// Nested loops, the last one innermost; strides in elements of the operand.
struct Loops {
  int dims = 0;
  std::int64_t count = 1;  ///< product of the sizes
  std::int64_t sizes[kMaxDims] = {};
  std::int64_t strides[kMaxDims] = {};

  /// Where the `i`-th step of the loops reads.
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
