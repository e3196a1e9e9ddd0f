// How kernels walk their operands. Element-wise: one loop nest over the result's shape, with a
// stride per operand, in the order of memory and joined where possible, so that most launches have
// one loop. Reductions: loops over the results ("kept") and, for each result, over the elements
// that are combined ("reduced"). Both are passed to kernels by value.
#pragma once

#include <cstdint>
#include <utility>

#include "td/tensor/tensor.h"

namespace td {

/// The sizes that both broadcast to. @throws ShapeError naming `op` and both sizes.
inline Sizes broadcast_sizes(const char* op, IntArrayRef a, IntArrayRef b) {
  const std::size_t dims = std::max(a.size(), b.size());
  Sizes out(dims, 1);
  for (std::size_t i = 0; i < dims; ++i) {  // i counts from the last dimension
    const std::int64_t na = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t nb = i < b.size() ? b[b.size() - 1 - i] : 1;
    TD_CHECK(ShapeError, na == nb || na == 1 || nb == 1, op, ": sizes ", a, " and ", b,
             " do not broadcast: dimension ", dims - 1 - i, " is ", na, " against ", nb,
             ", and neither is 1");
    out[dims - 1 - i] = na == 1 ? nb : na;
  }
  return out;
}

/// The loops over N operands, of which operand 0 is the result; the last loop is the innermost.
template <int N>
struct Geometry {
  struct Loop {
    std::int64_t size;
    std::int64_t strides[N];  ///< in elements of each operand
  };
  int dims = 1;
  std::int64_t numel = 0;
  Loop loops[kMaxDims];

  const Loop& innermost() const { return loops[dims - 1]; }
};

/// Fills in the loops for any strides. An operand that is smaller than the result has stride 0
/// where it is broadcast.
template <int N>
[[gnu::noinline]] void plan_loops(Geometry<N>& g, const Tensor* const (&operands)[N]) {
  const IntArrayRef shape = operands[0]->sizes();
  const int dims = static_cast<int>(shape.size());
  int n = 0;
  for (int d = 0; d < dims; ++d) {
    if (shape[d] == 1) continue;
    auto& loop = g.loops[n++];
    loop.size = shape[d];
    for (int k = 0; k < N; ++k) {
      const TensorImpl& t = operands[k]->impl();
      const int own = d - (dims - static_cast<int>(t.sizes.size()));
      loop.strides[k] = own < 0 || t.sizes[own] == 1 ? 0 : t.strides[own];
    }
  }
  if (n == 0) g.loops[n++] = {1, {}};  // one element
  // Outermost first, by the result's strides: insertion sort, stable, at most eight entries.
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && g.loops[j - 1].strides[0] < g.loops[j].strides[0]; --j)
      std::swap(g.loops[j - 1], g.loops[j]);
  // Where a loop continues the next one in every operand, both become one loop.
  g.dims = 1;
  for (int i = 1; i < n; ++i) {
    auto &outer = g.loops[g.dims - 1], &inner = g.loops[i];
    bool joins = true;
    for (int k = 0; k < N; ++k) joins &= outer.strides[k] == inner.strides[k] * inner.size;
    if (joins)
      inner.size *= outer.size;
    else
      ++g.dims;
    g.loops[g.dims - 1] = inner;
  }
}

/// Fills in all of g. @pre every operand broadcasts to operands[0]'s sizes.
template <int N>
void plan(Geometry<N>& g, const Tensor* const (&operands)[N]) {
  const Tensor& out = *operands[0];
  g.numel = out.numel();
  bool flat = true;
  for (const Tensor* t : operands)
    flat = flat && t->impl().contiguous && t->numel() == g.numel && t->dim() == out.dim();
  if (!flat) return plan_loops(g, operands);
  g.loops[0].size = g.numel;  // the common case: one loop, all strides 1
  for (std::int64_t& stride : g.loops[0].strides) stride = 1;
}

/// A position in the loops of a Geometry, and the offset of each operand's element there.
template <int N>
struct LoopPosition {
  std::int64_t at[kMaxDims];
  std::int64_t offset[N] = {};

  /// The `index`-th position in loop order.
  LoopPosition(const Geometry<N>& g, std::int64_t index) {
    for (int d = g.dims - 1; d >= 0; --d) {
      at[d] = d ? index % g.loops[d].size : index;
      index = d ? index / g.loops[d].size : 0;
      for (int k = 0; k < N; ++k) offset[k] += at[d] * g.loops[d].strides[k];
    }
  }
  /// Advances by n positions of the innermost loop, carrying into the outer ones.
  void advance(const Geometry<N>& g, std::int64_t n) {
    int d = g.dims - 1;
    at[d] += n;
    for (int k = 0; k < N; ++k) offset[k] += n * g.loops[d].strides[k];
    for (; d > 0 && at[d] == g.loops[d].size; --d) {
      const auto &inner = g.loops[d], &outer = g.loops[d - 1];
      for (int k = 0; k < N; ++k) offset[k] += outer.strides[k] - inner.size * inner.strides[k];
      at[d] = 0;
      ++at[d - 1];
    }
  }
};

// Division of a loop index by a loop size. A GPU has no divider: a 64-bit division takes it some
// hundred instructions, a 32-bit one twenty, a multiplication by FastDivisor four.
// Invariant: both ways are exact; FastDivisor for indices below 2^31 and sizes from 1 to 2^31.

/// A divisor that the host prepares once; Granlund and Montgomery, "Division by invariant integers
/// using multiplication", 1994, figure 4.1.
struct FastDivisor {
  std::uint32_t size;
  std::uint32_t multiplier;
  std::uint32_t shift;

  FastDivisor() = default;
  explicit FastDivisor(std::uint32_t divisor) : size(divisor), shift(0) {
    while ((std::uint64_t(1) << shift) < divisor) ++shift;
    const std::uint64_t above = (std::uint64_t(1) << shift) - divisor;
    multiplier = static_cast<std::uint32_t>((above << 32) / divisor + 1);
  }
  /// n / size, rounded down.
  TD_HD std::uint32_t quotient(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t(n) * multiplier) >> 32);
    return (high + n) >> shift;
  }
};

/// n / size for n >= 0, size > 0; on a GPU in 32 bits where both fit.
TD_HD inline std::int64_t quotient(std::int64_t n, std::int64_t size) {
#ifdef __CUDA_ARCH__
  if (((n | size) >> 32) == 0)
    return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(size);
#endif
  return n / size;
}

/// Nested loops, the last one innermost; strides in elements of the operand. There is at least one
/// loop, so that kernels need no special case for scalars.
struct Loops {
  int dims = 1;
  std::int64_t count = 1;  ///< product of the sizes
  std::int64_t sizes[kMaxDims] = {1};
  std::int64_t strides[kMaxDims] = {};

  /// Adds an innermost loop; joins it with the last one where the strides allow it.
  void append(std::int64_t size, std::int64_t stride) {
    count *= size;
    if (size == 1) return;
    if (sizes[dims - 1] != 1 && strides[dims - 1] != stride * size) sizes[dims++] = 1;
    sizes[dims - 1] *= size;
    strides[dims - 1] = stride;
  }

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

/// The same loops in the order of memory, joined where they can be: for elements that may be
/// combined in any order.
inline Loops in_memory_order(const Loops& loops) {
  int order[kMaxDims];  // the largest stride first: insertion sort, stable
  for (int d = 0; d < loops.dims; ++d) {
    int at = d;
    for (; at > 0 && loops.strides[order[at - 1]] < loops.strides[d]; --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  Loops sorted;
  for (int n = 0; n < loops.dims; ++n)
    sorted.append(loops.sizes[order[n]], loops.strides[order[n]]);
  return sorted;
}

/// Invariant: results are row-major and dense, so result i is written at out[i].
struct ReduceShape {
  Loops kept;
  Loops reduced;
};

/// A set of dimensions, one bit each.
using DimSet = std::uint32_t;

/// Loops of a reduction of `x` over the dimensions in `dims`, both in the order of the sizes.
inline ReduceShape plan_reduce(const Tensor& x, DimSet dims) {
  ReduceShape shape;
  for (std::size_t d = 0; d < x.sizes().size(); ++d)
    (dims >> d & 1u ? shape.reduced : shape.kept).append(x.sizes()[d], x.strides()[d]);
  return shape;
}

/// Whether the contiguous direction belongs to the results, as in a sum over rows.
inline bool is_by_columns(const ReduceShape& s) {
  const int kept = s.kept.dims - 1, reduced = s.reduced.dims - 1;
  return s.kept.sizes[kept] >= 4 && s.reduced.count > 1 &&
         s.kept.strides[kept] < s.reduced.strides[reduced];
}

}  // namespace td
