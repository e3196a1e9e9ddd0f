#include "exercises.h"

#include <bit>
#include <cmath>

// answer: nan_becomes_infinity
// expect: which is not NaN
// A NaN whose fraction is only in the lower bits becomes infinity, others wrap around.
namespace nan_becomes_infinity {
std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t half_bits(float value) { return td::Half(value).bits; }
}  // namespace nan_becomes_infinity

// answer: no_subnormals
// expect: expected 0x1, got 0x0
// Everything below 2^-14 becomes 0: the last 10 powers of two are missing.
namespace no_subnormals {
std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t half_bits(float value) {
  if (std::fabs(value) < 0x1p-14f) return std::signbit(value) ? 0x8000 : 0;
  return td::Half(value).bits;
}
}  // namespace no_subnormals

// answer: stops_at_the_largest
// expect: 65520: expected 0x7c00, got 0x7bff
// Too large a number becomes the largest one, so that no overflow is ever seen.
namespace stops_at_the_largest {
std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t half_bits(float value) {
  if (std::fabs(value) > 65504) return std::signbit(value) ? 0xfbff : 0x7bff;
  return td::Half(value).bits;
}
}  // namespace stops_at_the_largest

// answer: ties_go_up
// expect: : expected 0x0, got 0x1
// Half is added, so a number half way always goes up. Right on the README's examples.
namespace ties_go_up {
std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x8000u) >> 16);
}

std::uint16_t half_bits(float value) { return td::Half(value).bits; }
}  // namespace ties_go_up

// answer: truncates
// expect: e-41: expected 0x1, got 0x0
// The upper half of the bits, and no rounding. Right on the README's examples.
namespace truncates {
std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>(bits >> 16);
}

std::uint16_t half_bits(float value) { return td::Half(value).bits; }
}  // namespace truncates

// answer: exponent_wraps
// expect: expected 0x7c00, got
// Moves the exponent's zero point, and looks for the first exponent that is too large only.
namespace exponent_wraps {
std::uint16_t bfloat16_bits(float value) { return nan_becomes_infinity::bfloat16_bits(value); }

std::uint16_t half_bits(float value) {
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(value) >> 23 & 0xffu;
  const bool special = exponent < 127 + 16 || exponent > 127 + 100;
  const std::uint32_t moved = (exponent - 112) << 10 & 0x7c00u;
  return special ? td::Half(value).bits : static_cast<std::uint16_t>(moved);
}
}  // namespace exponent_wraps
