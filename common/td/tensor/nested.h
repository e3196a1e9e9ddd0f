// What `tensor({{1, 2}, {3, 4}})` takes: a number, nested braces of numbers, or a vector of them.
// Invariant: `values` holds the product of `sizes` numbers, row-major.
#pragma once

#include <vector>

#include "td/base/sizes.h"
#include "td/tensor/scalar.h"

namespace td {

/// Numbers in nested braces, as `tensor({{1, 2}, {3, 4}})` takes them.
class NestedNumbers {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, Half> ||
                                              std::is_same_v<T, BFloat16>>>
  NestedNumbers(T value) : dtype_(type_of<T>()), values_{Scalar(value)} {}
  /// Each entry is one slice of the first dimension. @throws ShapeError when they differ in sizes.
  NestedNumbers(std::initializer_list<NestedNumbers> slices) : sizes_{std::int64_t(slices.size())} {
    if (slices.size() == 0) return;
    const NestedNumbers& first = *slices.begin();
    dtype_ = first.dtype_;
    for (std::int64_t n : first.sizes_) sizes_.push_back(n);
    for (const NestedNumbers& slice : slices) {
      TD_CHECK(ShapeError, slice.sizes_ == first.sizes_, "tensor: rows of sizes ",
               IntArrayRef(first.sizes_), " and ", IntArrayRef(slice.sizes_),
               " in one list; all rows must have the same length");
      TD_CHECK(DtypeError, slice.dtype_ == first.dtype_, "tensor: ", dtype_name(first.dtype_),
               " and ", dtype_name(slice.dtype_), " numbers in one list; write all as one kind");
      values_.insert(values_.end(), slice.values_.begin(), slice.values_.end());
    }
  }
  template <class T>
  NestedNumbers(const std::vector<T>& list)
      : sizes_{std::int64_t(list.size())},
        dtype_(type_of<T>()),
        values_(list.begin(), list.end()) {}

  /// The sizes that the nesting shows, and the numbers in row-major order.
  ///@{
  const Sizes& sizes() const { return sizes_; }
  const std::vector<Scalar>& values() const { return values_; }
  ///@}
  /// The type the tensor gets unless another is asked for.
  ScalarType dtype() const { return dtype_; }

 private:
  // As in libtorch: all integers are int64 but bytes, all real ones float32.
  template <class T>
  static constexpr ScalarType type_of() {
    if constexpr (std::is_same_v<T, bool>)
      return kBool;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
      return kByte;
    else if constexpr (std::is_same_v<T, Half>)
      return kHalf;
    else if constexpr (std::is_same_v<T, BFloat16>)
      return kBFloat16;
    else if constexpr (std::is_floating_point_v<T>)
      return kFloat;
    else
      return kLong;
  }
  Sizes sizes_;
  ScalarType dtype_ = kFloat;
  std::vector<Scalar> values_;
};

}  // namespace td
