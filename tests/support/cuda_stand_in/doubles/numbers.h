// Numbers as the doubles of cuBLAS and cuDNN compute with them: 16-bit types become float, sums
// stay in float, and TF32 and half factors are rounded as Tensor Cores round them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "td/tensor/dtype.h"

namespace cuda_stand_in {

/// The type in which products of T are summed.
template <class T>
struct SumOf {
  using type = float;
};
template <>
struct SumOf<double> {
  using type = double;
};

/// Calls f with a value of the floating point type, as f(td::Half()).
template <class F>
auto with_type(td::ScalarType dtype, F f) {
  if (dtype == td::kHalf) return f(td::Half());
  if (dtype == td::kBFloat16) return f(td::BFloat16());
  if (dtype == td::kDouble) return f(double());
  return f(float());
}

/// What the factors of float32 products are rounded to before they are multiplied.
enum class Factors { kFloat, kTf32, kHalf };

inline double rounded(double value, Factors) { return value; }
inline float rounded(float value, Factors factors) {
  if (factors == Factors::kHalf) return static_cast<float>(static_cast<td::Half>(value));
  if (factors == Factors::kFloat || !std::isfinite(value)) return value;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x1000) & ~std::uint32_t{0x1FFF};  // TF32 keeps 10 bits of the mantissa
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// alpha or beta, which has the type that the sums have.
inline double scale_factor(const void* value, td::ScalarType dtype) {
  if (dtype == td::kDouble) return *static_cast<const double*>(value);
  return *static_cast<const float*>(value);
}

}  // namespace cuda_stand_in
