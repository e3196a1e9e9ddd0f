// expect: expected 0x1, got 0x0
// Everything below 2^-14 becomes 0: the last 10 powers of two are missing.
#include <bit>
#include <cmath>

#include "exercises.h"

std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t half_bits(float value) {
  if (std::fabs(value) < 0x1p-14f) return std::signbit(value) ? 0x8000 : 0;
  return td::Half(value).bits;
}
