// Element types: the eight there are, their C++ types, and the rules by which mixed arguments meet
// (promotion). `dispatch` turns a ScalarType into a C++ type for host code.
#pragma once

#include <cstdint>
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
const char* dtype_name(ScalarType type);
std::ostream& operator<<(std::ostream& out, ScalarType type);

/// Bytes of one element.
constexpr std::size_t element_size(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return 1;
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return 2;
    case ScalarType::Int:
    case ScalarType::Float:
      return 4;
    case ScalarType::Long:
    case ScalarType::Double:
      return 8;
  }
  return 0;
}
/// True for the four float types.
constexpr bool is_floating_point(ScalarType t) {
  return t == kHalf || t == kFloat || t == kDouble || t == kBFloat16;
}
/// True for the integer types, and for bool when asked.
constexpr bool is_integral(ScalarType t, bool include_bool = false) {
  return t == kByte || t == kInt || t == kLong || (include_bool && t == kBool);
}

/// The type two tensors of these types meet in (PyTorch's promotion table): a float beats an
/// integer, a wider one beats a narrower one, half with bfloat16 gives float.
ScalarType promote_types(ScalarType a, ScalarType b);
/// True when a result of type `from` may be written into a tensor of type `to` in place.
bool can_cast(ScalarType from, ScalarType to);

/// A C++ type as a value, for the dispatch functions below.
template <class T>
struct CppType {
  using type = T;  ///< the type
};

/// The ScalarType of a C++ type.
template <class T>
constexpr ScalarType scalar_type_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return kByte;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return kInt;
  else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, long long>)
    return kLong;
  else if constexpr (std::is_same_v<T, Half>)
    return kHalf;
  else if constexpr (std::is_same_v<T, float>)
    return kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return kDouble;
  else if constexpr (std::is_same_v<T, bool>)
    return kBool;
  else {
    static_assert(std::is_same_v<T, BFloat16>, "not an element type");
    return kBFloat16;
  }
}

/// The type a kernel computes in: float for the 16-bit types, the type itself otherwise.
template <class T>
using compute_t =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

/// Calls `f(CppType<T>{})` for the C++ type of `type`, over all eight types.
template <class F>
decltype(auto) dispatch_all(ScalarType type, F&& f) {
  switch (type) {
    case kByte:
      return f(CppType<std::uint8_t>{});
    case kInt:
      return f(CppType<std::int32_t>{});
    case kLong:
      return f(CppType<std::int64_t>{});
    case kHalf:
      return f(CppType<Half>{});
    case kFloat:
      return f(CppType<float>{});
    case kDouble:
      return f(CppType<double>{});
    case kBool:
      return f(CppType<bool>{});
    case kBFloat16:
      break;
  }
  return f(CppType<BFloat16>{});
}

/// The same over the four float types. @throws DtypeError naming `op` and the type otherwise.
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
      break;
  }
  fail<DtypeError>(op, ": expected a floating point tensor but got ", dtype_name(type),
                   "; convert it with to(kFloat32)");
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
    case kHalf:
      return f(CppType<Half>{});
    case kFloat:
      return f(CppType<float>{});
    case kDouble:
      return f(CppType<double>{});
    case kBFloat16:
      return f(CppType<BFloat16>{});
    case kBool:
      break;
  }
  fail<DtypeError>(op, ": not defined for bool tensors; convert with to(kInt64) or to(kFloat32)");
}

}  // namespace td
