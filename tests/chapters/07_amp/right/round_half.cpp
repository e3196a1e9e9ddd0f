#include "exercises.h"

#include <bit>
#include <cmath>

// answer: by_scaling
// Scales the value so that the last bit has the weight 1, and lets nearbyint round: ties to even.
namespace by_scaling {
namespace {

std::uint16_t pack(float value, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | 1u);
  const double magnitude = std::fabs(double{value});
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
  int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  const double units = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  // A leading 1 in `units` counts one exponent up by itself.
  const unsigned bits =
      (static_cast<unsigned>(exponent + bias - 1) << fraction_bits) + static_cast<unsigned>(units);
  return static_cast<std::uint16_t>(sign | (bits < infinity ? bits : infinity));
}

}  // namespace

std::uint16_t bfloat16_bits(float value) { return pack(value, 7); }
std::uint16_t half_bits(float value) { return pack(value, 10); }
}  // namespace by_scaling

// answer: by_bisection
// Searches, bit by bit, for the largest number that is not above the value, and then looks which of
// its neighbors is nearer.
namespace by_bisection {
namespace {

double value_of(std::uint32_t bits, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits);
  const double fraction = std::ldexp(bits % (1u << fraction_bits), -fraction_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

std::uint16_t search(float value, int fraction_bits) {
  const std::uint32_t infinity = 0x7fffu >> fraction_bits << fraction_bits;
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u;
  if (value != value) return static_cast<std::uint16_t>(infinity + 1);
  const double size = std::abs(double{value});
  std::uint32_t low = 0, high = infinity;  // `high` is what would come after the largest number
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (value_of(middle, fraction_bits) <= size ? low : high) = middle;
  }
  const double below = size - value_of(low, fraction_bits);
  const double above = value_of(high, fraction_bits) - size;
  const bool up = above < below || (above == below && low % 2 == 1);
  return static_cast<std::uint16_t>(sign | (up ? high : low));
}

}  // namespace

std::uint16_t bfloat16_bits(float value) { return search(value, 7); }
std::uint16_t half_bits(float value) { return search(value, 10); }
}  // namespace by_bisection
