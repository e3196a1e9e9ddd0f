// A number of unknown kind, as it stands in `x + 1` or `full({2}, 0.5)`: remembers whether it was
// a bool, an integer or a float, which decides how it promotes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "td/tensor/dtype.h"

namespace td {

/// A C++ number as an operation's argument: a bool, an integer or a real.
class Scalar {
 public:
  Scalar() : Scalar(std::int64_t{0}) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>)
      kind_ = kBool, integer_ = value;
    else if constexpr (std::is_integral_v<T>)
      kind_ = kLong, integer_ = static_cast<std::int64_t>(value);
    else
      kind_ = kDouble, real_ = static_cast<double>(value);
  }
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}

  /// The value as a T.
  template <class T>
  T to() const {
    if (kind_ == kDouble) {
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
        return T(static_cast<float>(real_));
      else
        return static_cast<T>(real_);
    }
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      return T(static_cast<float>(integer_));
    else
      return static_cast<T>(integer_);
  }
  /// The same by libtorch's names.
  ///@{
  int toInt() const { return to<int>(); }
  std::int64_t toLong() const { return to<std::int64_t>(); }
  float toFloat() const { return to<float>(); }
  double toDouble() const { return to<double>(); }
  bool toBool() const { return to<bool>(); }
  ///@}
  /// kBool, kLong or kDouble.
  ScalarType kind() const { return kind_; }
  /// True for a real.
  bool is_floating_point() const { return kind_ == kDouble; }
  Scalar operator-() const { return is_floating_point() ? Scalar(-real_) : Scalar(-integer_); }

 private:
  ScalarType kind_;
  union {
    double real_;
    std::int64_t integer_;
  };
};

}  // namespace td
