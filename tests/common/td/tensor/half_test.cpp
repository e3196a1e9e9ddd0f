// The 16-bit types against independent arithmetic: every half value, and roundings worked out by
// hand from the formats' definitions.
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.h"
#include "td/tensor/dtype.h"

using td::BFloat16;
using td::Half;

namespace {

// The value of a half by the definition of binary16.
double half_by_definition(unsigned bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const double fraction = (bits & 1023) / 1024.0;
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : NAN;
  return exponent == 0 ? sign * fraction * std::ldexp(1, -14)
                       : sign * (1 + fraction) * std::ldexp(1, exponent - 15);
}

Half half_of_bits(unsigned bits) {
  Half h;
  h.bits = static_cast<std::uint16_t>(bits);
  return h;
}

}  // namespace

TEST_CASE("every half value converts to float by the definition and back") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const double expected = half_by_definition(bits);
    const float got = half_of_bits(bits);
    if (std::isnan(expected)) {
      CHECK(std::isnan(got));
      CHECK(std::isnan(static_cast<float>(Half(got))));
      continue;
    }
    if (!(got == static_cast<float>(expected)) || Half(got).bits != bits) FAIL("bits " << bits);
  }
}

TEST_CASE("floats round to the nearest half, ties to even") {
  // Between each pair of neighbors: below the middle goes down, above goes up, the middle to even.
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const double low = half_by_definition(bits), high = half_by_definition(bits + 1);
    const float middle = static_cast<float>((low + high) / 2);
    const unsigned even = bits & 1 ? bits + 1 : bits;
    const bool ok = Half(middle).bits == even && Half(std::nextafterf(middle, 0)).bits == bits &&
                    Half(std::nextafterf(middle, 1e9f)).bits == bits + 1;
    if (!ok) FAIL("around bits " << bits);
  }
  CHECK(static_cast<float>(Half(65519.0f)) == 65504.0f);
  CHECK(std::isinf(static_cast<float>(Half(65520.0f))));
  CHECK(static_cast<float>(Half(-65519.0f)) == -65504.0f);
  CHECK(Half(1e-8f).bits == 0);
  CHECK(Half(-0.0f).bits == 0x8000);
}

TEST_CASE("bfloat16 keeps the upper half of a float, ties to even") {
  CHECK(static_cast<float>(BFloat16(1.0f)) == 1.0f);
  CHECK(static_cast<float>(BFloat16(3.0e38f)) == Approx(3.0e38f).epsilon(0.01));
  CHECK(BFloat16(1.00390625f).bits == 0x3f80);  // 1 + 2^-8, exactly between: to even, down
  CHECK(BFloat16(1.01171875f).bits == 0x3f82);  // 1 + 3 * 2^-8, exactly between: to even, up
  CHECK(BFloat16(1.00390637f).bits == 0x3f81);  // just above the middle
  CHECK(std::isinf(static_cast<float>(BFloat16(3.4e38f))));
  CHECK(std::isnan(static_cast<float>(BFloat16(NAN))));
}
