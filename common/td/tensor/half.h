// The two 16-bit element types, our own in every build: stored in 16 bits, computed in float,
// rounded to nearest even.
#pragma once

#include <bit>
#include <cstdint>

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
  TD_HD static std::uint16_t from_float(float value) {
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
      return static_cast<std::uint16_t>(sign |
                                        (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u;
    return static_cast<std::uint16_t>(sign | (rounded >> 13));
#endif
  }
  TD_HD static float to_float(std::uint16_t bits) {
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

}  // namespace td
