// round_half: exercise 7.round_half, declared in exercises.h.
#include <bit>
#include <cmath>

#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

// bits / 2^dropped, rounded to nearest, ties to even: add just less than half, and one more where
// the last bit that stays is 1.
std::uint32_t drop_bits(std::uint32_t bits, int dropped) {
  const std::uint32_t half = 1u << (dropped - 1);
  return (bits + half - 1 + ((bits >> dropped) & 1u)) >> dropped;
}

}  // namespace
// end

std::uint16_t bfloat16_bits(float value) {
  // blank: Handle NaN; round the upper 16 bits by the lower 16. About 3 lines.
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value))
    return static_cast<std::uint16_t>(bits >> 16 | 0x40u);  // must not become inf
  return static_cast<std::uint16_t>(drop_bits(bits, 16));
  // end
}

std::uint16_t half_bits(float value) {
  // blank: Keep the sign. Cases: NaN, too large, below 2^-14, others. About 11 lines.
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  std::uint32_t result = 0;
  if (std::isnan(value)) {
    result = 0x7e00u;
  } else if (magnitude >= 0x477ff000u) {  // 65520 and more
    result = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // below 2^-14: how many times 2^-24?
    const int dropped = 126 - static_cast<int>(magnitude >> 23);
    if (dropped <= 24) result = drop_bits((magnitude & 0x7fffffu) | 0x800000u, dropped);
  } else {  // the exponent's zero point moves from 127 to 15
    result = drop_bits(magnitude - (112u << 23), 13);
  }
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | result);
  // end
}
