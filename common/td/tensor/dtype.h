// Element types: the eight that exist, their C++ types, numbers as arguments (Scalar), and the
// rules by which mixed types are promoted. `dispatch_all` and its like turn a ScalarType into a
// C++ type for host code.
#pragma once

#include <algorithm>
#include <ostream>
#include <type_traits>

#include "td/base/error.h"
#include "td/tensor/half.h"

namespace td {

/// Element types, in libtorch's order.
enum class ScalarType : std::int8_t { Byte, Int, Long, Half, Float, Double, Bool, BFloat16 };

/// Element types by libtorch's names.
///@{
inline constexpr ScalarType kUInt8 = ScalarType::Byte, kByte = kUInt8;
inline constexpr ScalarType kInt32 = ScalarType::Int, kInt = kInt32;
inline constexpr ScalarType kInt64 = ScalarType::Long, kLong = kInt64;
inline constexpr ScalarType kFloat16 = ScalarType::Half, kHalf = kFloat16;
inline constexpr ScalarType kFloat32 = ScalarType::Float, kFloat = kFloat32;
inline constexpr ScalarType kFloat64 = ScalarType::Double, kDouble = kFloat64;
inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
///@}

/// PyTorch's name: "float32", "int64", "bool".
inline const char* dtype_name(ScalarType type) {
  constexpr const char* names[] = {"uint8",   "int32",   "int64", "float16",
                                   "float32", "float64", "bool",  "bfloat16"};
  return names[static_cast<int>(type)];
}
inline std::ostream& operator<<(std::ostream& out, ScalarType type) {
  return out << dtype_name(type);
}

/// Bytes of one element.
constexpr std::size_t element_size(ScalarType type) {
  if (type == kFloat || type == kInt) return 4;
  if (type == kLong || type == kDouble) return 8;
  return type == kByte || type == kBool ? 1 : 2;
}
/// True for the four float types.
constexpr bool is_floating_point(ScalarType t) {
  return t == kHalf || t == kFloat || t == kDouble || t == kBFloat16;
}

/// The type to which two tensors of these types are promoted (PyTorch's table): a float beats an
/// integer, a wider one beats a narrower one, half with bfloat16 gives float.
constexpr ScalarType promote_types(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (is_floating_point(a) != is_floating_point(b)) return is_floating_point(a) ? a : b;
  if (is_floating_point(a)) return a == kDouble || b == kDouble ? kDouble : kFloat;
  if (a == kBool || b == kBool) return a == kBool ? b : a;
  return element_size(a) > element_size(b) ? a : b;  // uint8 < int32 < int64
}
/// True when a result of type `from` may be written into a tensor of type `to` in place.
constexpr bool can_cast(ScalarType from, ScalarType to) {
  if (is_floating_point(from) && !is_floating_point(to)) return false;
  return from == kBool || to != kBool;
}

/// The ScalarType of a C++ type.
template <class T>
constexpr ScalarType scalar_type_of() {
  constexpr bool is[] = {std::is_same_v<T, std::uint8_t>,
                         std::is_same_v<T, std::int32_t>,
                         std::is_same_v<T, std::int64_t> || std::is_same_v<T, long long>,
                         std::is_same_v<T, Half>,
                         std::is_same_v<T, float>,
                         std::is_same_v<T, double>,
                         std::is_same_v<T, bool>,
                         std::is_same_v<T, BFloat16>};
  constexpr auto index = std::find(std::begin(is), std::end(is), true) - std::begin(is);
  static_assert(index < std::ssize(is), "not an element type");
  return static_cast<ScalarType>(index);
}

/// The type a kernel computes in: float for the 16-bit types, the type itself otherwise.
template <class T>
using compute_t =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

/// A C++ type as a value, for the dispatch functions below.
template <class T>
struct CppType {
  using type = T;  ///< the type
};

/// Calls `f(CppType<T>{})` for the C++ type of `type`, one of the four float types.
/// @throws DtypeError naming `op` and the type otherwise.
template <class F>
decltype(auto) dispatch_floats(const char* op, ScalarType type, F&& f) {
  switch (type) {
    case kHalf:
      return f(CppType<Half>{});
    case kFloat:
      return f(CppType<float>{});
    case kDouble:
      return f(CppType<double>{});
    case kBFloat16:
      return f(CppType<BFloat16>{});
    default:
      fail<DtypeError>(op, ": expected a floating point tensor but got ", dtype_name(type),
                       "; convert it with to(kFloat32)");
  }
}

/// The same over all types but bool. @throws DtypeError for bool.
template <class F>
decltype(auto) dispatch_numbers(const char* op, ScalarType type, F&& f) {
  switch (type) {
    case kByte:
      return f(CppType<std::uint8_t>{});
    case kInt:
      return f(CppType<std::int32_t>{});
    case kLong:
      return f(CppType<std::int64_t>{});
    case kBool:
      fail<DtypeError>(op,
                       ": not defined for bool tensors; convert with to(kInt64) or to(kFloat32)");
    default:
      return dispatch_floats(op, type, f);
  }
}

/// The same over all eight types.
template <class F>
decltype(auto) dispatch_all(ScalarType type, F&& f) {
  if (type == kBool) return f(CppType<bool>{});
  return dispatch_numbers("", type, f);
}

/// A C++ number as an operation's argument, as in `x + 1` or `full({2}, 0.5)`. It remembers whether
/// it was a bool, an integer or a real, which decides how it promotes.
class Scalar {
 public:
  Scalar() : Scalar(std::int64_t{0}) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T value) : kind_(std::is_same_v<T, bool> ? kBool : kLong) {
    if constexpr (std::is_floating_point_v<T>) {
      kind_ = kDouble;
      real_ = static_cast<double>(value);
    } else {
      integer_ = static_cast<std::int64_t>(value);
    }
  }
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}

  /// The value as a T; see check_fits for values that T cannot hold.
  template <class T>
  T to() const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return static_cast<T>(kind_ == kDouble ? static_cast<std::int64_t>(real_) : integer_);
    using Number = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    return kind_ == kDouble ? static_cast<Number>(real_) : static_cast<Number>(integer_);
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
  /// @throws DtypeError unless an element of this type can hold the value, by libtorch's rule:
  /// negative numbers wrap in uint8, and infinity is a float.
  void check_fits(ScalarType type) const;
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
