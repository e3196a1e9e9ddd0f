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
