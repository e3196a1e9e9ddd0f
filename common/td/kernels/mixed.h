// Kernels that read a 16-bit type and write float32 in one pass: sums and softmax whose caller
// wants float32 make no float32 copy of their input first. Checks call `widens`, kernels
// `dispatch_mixed`. Invariant: such a kernel computes in float either way.
#pragma once

#include "td/tensor/dtype.h"

namespace td {

/// Whether a kernel makes results of type `to` from elements of type `from` itself.
constexpr bool widens(ScalarType from, ScalarType to) {
  return to == kFloat && (from == kHalf || from == kBFloat16);
}

/// Calls `f(CppType<Narrow>{}, CppType<Wide>{})` for float types that are equal, or float32 next to
/// a 16-bit one. @pre wide == narrow or widens(narrow, wide).
template <class F>
void dispatch_mixed(const char* op, ScalarType narrow, ScalarType wide, F&& f) {
  dispatch_floats(op, narrow, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (!std::is_same_v<T, compute_t<T>>)
      if (wide == kFloat) return f(type, CppType<float>{});
    f(type, type);
  });
}

}  // namespace td
