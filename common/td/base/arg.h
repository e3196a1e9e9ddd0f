// What the options classes of nn/, optim/ and data/ are made of: named arguments, as in
// `SGDOptions(0.1).momentum(0.9)`, and arguments that are one number or one for each dimension.
#pragma once

#include <array>
#include <utility>

#include "td/base/sizes.h"

/// `TD_ARG(double, lr) = 0.1;` declares `lr(value)`, which returns the object, and `lr()`. The
/// variable is public, because a macro cannot restore the access that the lines after it expect.
#define TD_ARG(T, name)                                    \
 public:                                                   \
  auto name(T value)->decltype(*this) {                    \
    this->name##_ = std::move(value);                      \
    return *this;                                          \
  }                                                        \
  const T& name() const noexcept { return this->name##_; } \
  T& name() noexcept { return this->name##_; }             \
  T name##_

namespace td {

/// D numbers; a single one is used for all: the kernel size of a convolution is 5 or {5, 3}.
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
