// expect: : expected 0x0, got 0x1
// Half is added, so a number half way always goes up. Right on the README's examples.
#include <bit>
#include <cmath>

#include "exercises.h"

std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x8000u) >> 16);
}

std::uint16_t half_bits(float value) { return td::Half(value).bits; }
