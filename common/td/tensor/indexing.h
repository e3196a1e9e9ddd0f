// What stands between the braces of `x.index({0, Slice(1, None), "...", mask})`, with libtorch's
// names. Read by Tensor::index and Tensor::index_put_ (ops/index/indexing.cpp).
#pragma once

#include <string_view>

#include "td/tensor/tensor.h"

namespace td::indexing {

/// A new dimension of size 1; in a Slice, an end that is left open.
inline constexpr auto None = nullopt;

/// The type of Ellipsis.
struct EllipsisIndexType {};
/// All dimensions that no other index speaks of, also written "...".
inline constexpr EllipsisIndexType Ellipsis{};

/// Elements start, start + step, ... before stop; Python's `start:stop:step`.
struct Slice {
  Slice(optional<std::int64_t> start_ = nullopt, optional<std::int64_t> stop_ = nullopt,
        optional<std::int64_t> step_ = nullopt)
      : start(start_), stop(stop_), step(step_.value_or(1)) {}
  optional<std::int64_t> start, stop;  ///< negative ones count from the back
  std::int64_t step;                   ///< at least 1
};

/// One index: a number, a Slice, None, Ellipsis, a bool, or a tensor of numbers or of bools.
struct TensorIndex {
  /// What it is.
  enum class Kind { Integer, Slice, None, Ellipsis, Boolean, Tensor };

  /// A number or a bool.
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  TensorIndex(T value)
      : kind(std::is_same_v<T, bool> ? Kind::Boolean : Kind::Integer),
        integer(static_cast<std::int64_t>(value)) {}
  TensorIndex(std::nullopt_t) : kind(Kind::None) {}
  TensorIndex(EllipsisIndexType) : kind(Kind::Ellipsis) {}
  /// @throws Error unless the text is "...".
  TensorIndex(const char* text) : kind(Kind::Ellipsis) {
    TD_CHECK(Error, std::string_view(text) == "...", "index: expected \"...\" but got \"", text,
             "\"");
  }
  TensorIndex(Slice s) : kind(Kind::Slice), slice(s) {}
  TensorIndex(td::Tensor t) : kind(Kind::Tensor), tensor(std::move(t)) {}

  Kind kind;                 ///< which of the members below counts
  std::int64_t integer = 0;  ///< of Integer and Boolean
  Slice slice;               ///< of Slice
  td::Tensor tensor;         ///< of Tensor
};

}  // namespace td::indexing
