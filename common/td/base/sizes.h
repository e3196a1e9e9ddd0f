// Lists of sizes and strides. `Sizes` keeps up to eight numbers in place (no heap);
// `IntArrayRef` is the argument type that braces, vectors and Sizes convert to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <vector>

#include "td/base/error.h"

namespace td {

/// A tensor has at most this many dimensions.
inline constexpr int kMaxDims = 8;

/// A read-only view of integers, valid during the call it is passed to.
class IntArrayRef : public std::span<const std::int64_t> {
 public:
  IntArrayRef() = default;
  IntArrayRef(const std::int64_t* first, std::size_t count) : span(first, count) {}
  IntArrayRef(const std::int64_t& one) : span(&one, 1) {}
  IntArrayRef(const std::vector<std::int64_t>& v) : span(v) {}
  template <std::size_t N>
  IntArrayRef(const std::array<std::int64_t, N>& a) : span(a) {}
  IntArrayRef(std::initializer_list<std::int64_t> list) : span(list.begin(), list.size()) {}

  std::vector<std::int64_t> vec() const { return {begin(), end()}; }
  // A loop: the lists are short, and std::equal would call memcmp.
  friend bool operator==(IntArrayRef a, IntArrayRef b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
};

/// Prints `[2, 3]`.
inline std::ostream& operator<<(std::ostream& out, IntArrayRef list) {
  out << '[';
  for (std::size_t i = 0; i < list.size(); ++i) out << (i ? ", " : "") << list[i];
  return out << ']';
}

/// Up to kMaxDims integers in place.
/// @throws ShapeError when a ninth is pushed.
class Sizes {
 public:
  Sizes() = default;
  Sizes(IntArrayRef list) {
    check_count(list.size());
    size_ = static_cast<std::uint32_t>(list.size());
    std::copy(list.begin(), list.end(), data_);
  }
  Sizes(std::initializer_list<std::int64_t> list) : Sizes(IntArrayRef(list)) {}
  Sizes(std::size_t count, std::int64_t value) {
    check_count(count);
    size_ = static_cast<std::uint32_t>(count);
    std::fill_n(data_, count, value);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::int64_t* data() const { return data_; }
  std::int64_t* data() { return data_; }
  const std::int64_t* begin() const { return data_; }
  const std::int64_t* end() const { return data_ + size_; }
  std::int64_t* begin() { return data_; }
  std::int64_t* end() { return data_ + size_; }
  std::int64_t operator[](std::size_t i) const { return data_[i]; }
  std::int64_t& operator[](std::size_t i) { return data_[i]; }
  std::int64_t back() const { return data_[size_ - 1]; }
  void push_back(std::int64_t n) {
    check_count(size_ + 1);
    data_[size_++] = n;
  }
  void insert(std::size_t at, std::int64_t n) {
    push_back(n);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  operator IntArrayRef() const { return {data_, size_}; }
  friend bool operator==(const Sizes& a, const Sizes& b) {
    return IntArrayRef(a) == IntArrayRef(b);
  }

 private:
  static void check_count(std::size_t count) {
    TD_CHECK(ShapeError, count <= kMaxDims, "a tensor has at most ", kMaxDims,
             " dimensions; join some with flatten or reshape first");
  }
  std::int64_t data_[kMaxDims];
  std::uint32_t size_ = 0;
};

/// The product of the sizes; 1 for a scalar.
inline std::int64_t numel_of(IntArrayRef sizes) {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  return n;
}

}  // namespace td
