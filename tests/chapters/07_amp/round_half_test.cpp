// Tests of round_half: every border between two neighbors, computed in float64 from the meaning of
// the bits. A border lies half way, and must round to the neighbor whose last bit is 0.
#include <bit>
#include <cmath>
#include <sstream>

#include "gradients.h"

namespace {

using Round = std::uint16_t (*)(float);

/// What 16 bits mean, for any split into exponent and fraction; finite numbers only. One step
/// beyond the largest is what would come next, as rounding sees it.
double meaning(std::uint32_t bits, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits);
  const double fraction = std::ldexp(bits & ((1u << fraction_bits) - 1), -fraction_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

std::string hex(std::uint32_t bits) {
  std::ostringstream text;
  text << "0x" << std::hex << bits;
  return text.str();
}

void expect_bits(Round round, float value, std::uint32_t expected) {
  const std::uint32_t actual = round(value);
  if (actual == expected) return;  // a hundred thousand values: only a failure is worth a line
  std::ostringstream text;
  text.precision(9);
  text << value << ": expected " << hex(expected) << ", got " << hex(actual);
  check::expect(false, text.str());
}

// The number, the border to the next one, and the floats next to the border, with both signs.
void expect_border(Round round, std::uint32_t bits, int fraction_bits) {
  const double here = meaning(bits, fraction_bits), next = meaning(bits + 1, fraction_bits);
  const float border = static_cast<float>((here + next) / 2);
  const std::uint32_t even = bits + (bits & 1u);
  for (const std::uint32_t sign : {0u, 0x8000u}) {
    const float factor = sign == 0 ? 1.0f : -1.0f;
    expect_bits(round, factor * static_cast<float>(here), sign | bits);
    expect_bits(round, factor * std::nextafter(border, 0.0f), sign | bits);
    expect_bits(round, factor * border, sign | even);
    expect_bits(round, factor * std::nextafter(border, kInf), sign | (bits + 1));
  }
}

void expect_all_borders(Round round, int fraction_bits) {
  const std::uint32_t infinity = 0x7fffu >> fraction_bits << fraction_bits;
  for (std::uint32_t bits = 0; bits < infinity; ++bits) expect_border(round, bits, fraction_bits);
}

void expect_nan(Round round, std::uint32_t infinity, const std::string& what) {
  // The last one has all its fraction in the bits that are cut off.
  for (const std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0x7f800001u}) {
    const std::uint32_t result = round(std::bit_cast<float>(bits)) & 0x7fffu;
    check::expect(result > infinity,
                  what + " of the NaN " + hex(bits) + " is " + hex(result) + ", which is not NaN");
  }
}

}  // namespace

TEST_CASE("single numbers", "[round_half]") {
  expect_bits(bfloat16_bits, 1.0f, 0x3f80);
  expect_bits(bfloat16_bits, 1.01f, 0x3f81);
  expect_bits(half_bits, 65504, 0x7bff);
  expect_bits(half_bits, 65519, 0x7bff);
  expect_bits(half_bits, 65520, 0x7c00);
  expect_bits(half_bits, 0x1p-24f, 0x0001);
  expect_bits(half_bits, 0x1p-25f, 0x0000);
  SUCCEED();
}

TEST_CASE("bfloat16: every number and every rounding border", "[round_half]") {
  expect_all_borders(bfloat16_bits, 7);
}

TEST_CASE("float16: every number and every rounding border", "[round_half]") {
  expect_all_borders(half_bits, 10);
}

TEST_CASE("infinities, and numbers far outside", "[round_half]") {
  for (const float factor : {1.0f, -1.0f}) {
    const std::uint32_t sign = factor < 0 ? 0x8000u : 0;
    expect_bits(bfloat16_bits, factor * kInf, sign | 0x7f80);
    expect_bits(bfloat16_bits, factor * kLargest, sign | 0x7f80);
    expect_bits(half_bits, factor * kInf, sign | 0x7c00);
    expect_bits(half_bits, factor * kLargest, sign | 0x7c00);
    expect_bits(half_bits, factor * 1e-30f, sign);
    expect_bits(half_bits, factor * 1e-42f, sign);
    for (int exponent = 16; exponent < 128; ++exponent)
      expect_bits(half_bits, factor * std::ldexp(1.5f, exponent), sign | 0x7c00);
    for (int exponent = -149; exponent < -25; ++exponent)
      expect_bits(half_bits, factor * std::ldexp(1.0f, exponent), sign);
  }
  SUCCEED();
}

TEST_CASE("NaN stays NaN", "[round_half]") {
  expect_nan(bfloat16_bits, 0x7f80, "bfloat16");
  expect_nan(half_bits, 0x7c00, "float16");
}
