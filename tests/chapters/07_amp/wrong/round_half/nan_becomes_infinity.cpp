// expect: which is not NaN
// A NaN whose fraction is only in the lower bits becomes infinity, others wrap around.
#include <bit>
#include <cmath>

#include "exercises.h"

std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t half_bits(float value) { return td::Half(value).bits; }
