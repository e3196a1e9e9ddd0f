// What programs write between braces, and the operations that take it: `tensor({{1, 2}, {3, 4}})`
// (ops/views/factories.cu), and `x.index({0, Slice(1, None), "...", mask})` with libtorch's names
// (ops/index/indexing.cu).
#pragma once

#include <string_view>
#include <vector>

#include "td/tensor/tensor.h"

namespace td {

/// A number, nested braces of numbers, or a vector of them.
/// Invariant: `values` holds the product of `sizes` numbers, row-major.
class NestedNumbers {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, Half> ||
                                              std::is_same_v<T, BFloat16>>>
  NestedNumbers(T value) : dtype_(type_of<T>()), values_{Scalar(value)} {}
  /// Each entry is one slice of the first dimension. @throws ShapeError when they differ in sizes.
  NestedNumbers(std::initializer_list<NestedNumbers> slices);
  template <class T>
  NestedNumbers(const std::vector<T>& list)
      : sizes_{std::int64_t(list.size())},
        dtype_(type_of<T>()),
        values_(list.begin(), list.end()) {}

  const Sizes& sizes() const { return sizes_; }                  ///< that the nesting shows
  const std::vector<Scalar>& values() const { return values_; }  ///< in row-major order
  ScalarType dtype() const { return dtype_; }  ///< of the tensor, unless another is asked for

 private:
  // As in libtorch: all integers are int64 but bytes, all real ones float32.
  template <class T>
  static constexpr ScalarType type_of() {
    if constexpr (std::is_floating_point_v<T>)
      return kFloat;
    else if constexpr (std::is_integral_v<T> && sizeof(T) > 1)
      return kLong;
    else
      return scalar_type_of<T>();
  }
  Sizes sizes_;
  ScalarType dtype_ = kFloat;
  std::vector<Scalar> values_;
};

namespace indexing {

/// A new dimension of size 1; in a Slice, an end that is left open.
inline constexpr auto None = nullopt;

/// The type of Ellipsis.
struct EllipsisIndexType {};
/// All dimensions that no other index refers to, also written "...".
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

}  // namespace indexing
}  // namespace td
