// How an element-wise kernel walks its operands: one loop nest over the result's shape, with a
// stride per operand. Dimensions are put in the order of memory and joined where they can be, so
// most launches end up with one dimension.
#pragma once

#include <array>
#include <cstdint>

#include "td/tensor/tensor.h"

namespace td {

/// Loop sizes and, for N operands (0 is the result), strides in elements. The last dimension is
/// the innermost. Trivially copyable: it travels inside a kernel's arguments.
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

template <class... T>
Geometry<sizeof...(T)> plan(const T&... operands) {
  constexpr int n = sizeof...(T);
  const Tensor* const list[] = {&operands...};
  Geometry<n> g;
  g.numel = list[0]->numel();
  bool flat = true;
  for (const Tensor* t : list)
    flat = flat && t->impl().contiguous && t->numel() == g.numel && t->dim() == list[0]->dim();
  if (flat) {  // the common case: one loop, all strides 1
    g.sizes[0] = g.numel;
    for (int i = 0; i < n; ++i) g.strides[i][0] = 1;
  } else {
    g.dims = plan_loops(list, n, g.sizes, g.strides);
  }
  return g;
}

/// The sizes that both broadcast to. @throws ShapeError naming `op` and both sizes.
Sizes broadcast_sizes(const char* op, IntArrayRef a, IntArrayRef b);

}  // namespace td
