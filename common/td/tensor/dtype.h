// Element types: the eight there are, their C++ types, and the rules by which mixed arguments meet
// (promotion). `dispatch` turns a ScalarType into a C++ type for host code. The two 16-bit types
// are our own in every build: stored in 16 bits, computed in float, rounded to nearest even.
#pragma once

#include <bit>
#include <cstdint>
#include <ostream>
#include <type_traits>

#include "td/base/error.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define TD_HD __host__ __device__
#else
#define TD_HD
#endif

namespace td {

/// IEEE 754 binary16: 5 exponent bits, 10 fraction bits; largest 65504.
struct alignas(2) Half {
  std::uint16_t bits;  ///< sign, exponent, fraction
  Half() = default;
  TD_HD Half(float value) : bits(from_float(value)) {}
  TD_HD operator float() const { return to_float(bits); }

 private:
  TD_HD static std::uint16_t from_float(float value);
  TD_HD static float to_float(std::uint16_t bits);
};

/// bfloat16: the upper half of a float; 8 exponent bits, 7 fraction bits.
struct alignas(2) BFloat16 {
  std::uint16_t bits;  ///< sign, exponent, fraction
  BFloat16() = default;
  TD_HD BFloat16(float value) : bits(from_float(value)) {}
  TD_HD operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }

 private:
  TD_HD static std::uint16_t from_float(float value) {
    const std::uint32_t u = std::bit_cast<std::uint32_t>(value);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;                         // NaN stays NaN
    return static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);  // ties to even
  }
};

TD_HD inline std::uint16_t Half::from_float(float value) {
#ifdef __CUDA_ARCH__
  return __half_as_ushort(__float2half_rn(value));
#else
  const std::uint32_t u = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((u >> 16) & 0x8000u);
  const std::uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // NaN
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // to infinity
  if (magnitude < 0x38800000u) {
    // Subnormal: adding 0.5 aligns the fraction with a float's last bits, and the float addition
    // itself rounds to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
#endif
}

TD_HD inline float Half::to_float(std::uint16_t bits) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(bits));
#else
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude << 13));
  if (magnitude < 0x400u) {  // subnormal: magnitude * 2^-24
    const float value = static_cast<float>(magnitude) * 5.9604644775390625e-8f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
#endif
}

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
