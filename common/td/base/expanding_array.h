// An argument that is given as one number or as one number for each dimension: the kernel size of a
// convolution is 5 or {5, 3}. Used by the options classes of nn/.
#pragma once

#include <array>

#include "td/base/sizes.h"

namespace td {

/// D numbers; a single one stands for all.
template <std::size_t D>
class ExpandingArray {
 public:
  ExpandingArray(std::int64_t one) { values_.fill(one); }
  ExpandingArray(std::initializer_list<std::int64_t> list) : ExpandingArray(IntArrayRef(list)) {}
  ExpandingArray(const std::vector<std::int64_t>& list) : ExpandingArray(IntArrayRef(list)) {}
  ExpandingArray(const std::array<std::int64_t, D>& values) : values_(values) {}
  /// @throws ShapeError unless `list` has one or D numbers.
  ExpandingArray(IntArrayRef list) {
    TD_CHECK(ShapeError, list.size() == D || list.size() == 1, "expected 1 or ", D,
             " numbers, one for each dimension, but got ", list);
    for (std::size_t i = 0; i < D; ++i) values_[i] = list[list.size() == 1 ? 0 : i];
  }

  std::int64_t operator[](std::size_t i) const { return values_[i]; }
  operator IntArrayRef() const { return {values_.data(), D}; }
  const std::array<std::int64_t, D>& values() const { return values_; }
  bool operator==(const ExpandingArray& other) const { return values_ == other.values_; }

 private:
  std::array<std::int64_t, D> values_;
};

/// Prints `(5, 3)`, as Python does.
template <std::size_t D>
std::ostream& operator<<(std::ostream& out, const ExpandingArray<D>& array) {
  out << '(';
  for (std::size_t i = 0; i < D; ++i) out << (i ? ", " : "") << array[i];
  return out << ')';
}

}  // namespace td
