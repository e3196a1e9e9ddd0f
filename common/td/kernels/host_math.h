// exp, log, sin and their like for float on the host. The library's functions are one call per
// number; a loop over these becomes vector instructions, because they have no branches (nor && and
// ||, which are some) and call nothing. Each names the largest error found over every 4099th float,
// in units of the last place (ulp). The coefficients of the polynomials make the largest relative
// error smallest (Remez). Infinities, NaN, zeros and denormals give what the library gives.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace td::host_math {

/// The polynomial c0 + c1 x + c2 x^2 + ...
template <class... C>
inline float polynomial(float x, float c0, C... rest) {
  if constexpr (sizeof...(rest) == 0)
    return c0;
  else
    return polynomial(x, rest...) * x + c0;
}

/// 2^k, whose exponent bits are k + 127. @pre -127 <= k <= 128, which give 0 and infinity. For NaN
/// k may be anything.
inline float two_to(std::int32_t k) {
  return std::bit_cast<float>((static_cast<std::uint32_t>(k) + 127u) << 23);
}

/// ln 2 in two parts: multiples of the first have no rounding error up to 2^12.
constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;

/// x = n ln 2 + rest with the integer n that makes |rest| smallest. @pre |x| < 2^20
struct Split {
  std::int32_t n;
  float rest;
  explicit Split(float x) {
    constexpr float kRound = 0x1.8p23f;  // so large that adding it leaves no fraction
    const float shifted = x * 0x1.715476p0f + kRound, whole = shifted - kRound;
    n = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
    rest = (x - whole * kLn2High) - whole * kLn2Low;
  }
};

/// 1.2 ulp. e^x = 2^n e^rest.
inline float exp(float x) {
  const Split s(x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x);  // beyond: 0 and infinity
  const float p = polynomial(s.rest, 1.0f, 1.0f, 0x1.fffff8p-2f, 0x1.55548ep-3f, 0x1.555b98p-5f,
                             0x1.123bccp-7f, 0x1.6850e4p-10f);
  const std::int32_t half = s.n >> 1;  // in two steps: 2^n may be too large or too small for one
  return p * two_to(half) * two_to(s.n - half);
}

/// 1.6 ulp. e^x - 1 = 2^n (e^rest - 1) + (2^n - 1).
inline float expm1(float x) {
  const Split s(x < -18.0f ? -18.0f : x > 89.0f ? 89.0f : x);  // beyond: -1 and infinity
  const float r = s.rest;
  const float p = r * r *
                      polynomial(r, 0x1.fffffep-2f, 0x1.5554aep-3f, 0x1.555676p-5f, 0x1.1228bcp-7f,
                                 0x1.6bebccp-10f) +
                  r;
  const float half = two_to(s.n - 1);  // 2^n may be too large
  const float result = 2.0f * (p * half + (half - 0.5f));
  return std::fabs(x) < 0x1p-25f ? x : result;
}

/// Hyperbolic tangent, 1.5 ulp.
inline float tanh(float x) {
  const float size = std::fabs(x), z = x * x;
  const float p = polynomial(z, -3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f,
                             2.06390887954e-2f, -5.70498872745e-3f);  // Cephes' tanhf (S. Moshier)
  const float near = p * z * size + size;
  const float far = 1.0f - 2.0f / (exp(2.0f * size) + 1.0f);
  return std::copysign(size < 0.625f ? near : far, x);
}

/// x = 2^n (1 + rest) with sqrt(1/2) <= 1 + rest < sqrt(2). @pre x is positive and not denormal
struct Factors {
  std::int32_t n;
  float rest;
  explicit Factors(float x) {
    constexpr auto kRootOfHalf = std::bit_cast<std::uint32_t>(0x1.6a09e6p-1f);
    const auto bits = std::bit_cast<std::uint32_t>(x);
    n = static_cast<std::int32_t>(bits - kRootOfHalf) >> 23;
    rest = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(n) << 23)) - 1.0f;
  }
};

/// log(2^n (1 + f)) = n ln 2 + f - f^2 / 2 + f^3 p(f).
inline float log_of(float n, float f) {
  const float p = polynomial(f, 0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a008p-3f, -0x1.547244p-3f,
                             0x1.22da18p-3f, -0x1.0d853cp-3f, 0x1.055b84p-3f, -0x1.38b5d8p-4f);
  const float z = f * f;
  return ((p * f * z + n * kLn2Low) - 0.5f * z + f) + n * kLn2High;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// 1 ulp.
inline float log(float x) {
  const bool denormal = x < 0x1p-126f;
  const Factors f(denormal ? x * 0x1p23f : x);
  const float result = log_of(static_cast<float>(f.n - (denormal ? 23 : 0)), f.rest);
  return x > 0 ? (x < kInfinity ? result : x) : x == 0 ? -kInfinity : kNaN;
}

/// log(1 + x), 1.5 ulp. What the rounding of 1 + x removes is added to the factor.
inline float log1p(float x) {
  const float sum = 1.0f + x, lost = x - (sum - 1.0f);
  const Factors f(sum);
  const float result = log_of(static_cast<float>(f.n), f.rest + lost * two_to(-f.n));
  const float finite = std::fabs(x) < 0x1p-25f ? x : result;
  return x > -1.0f ? (x < kInfinity ? finite : x) : x == -1.0f ? -kInfinity : kNaN;
}

/// The error function, 1 ulp. For |x| < 1 it is near 2 x / sqrt(pi), and otherwise 1 - e^y, where
/// a polynomial of |x| gives y. Beyond 4 it rounds to 1.
inline float erf(float x) {
  const float size = std::fabs(x), t = size > 4.0f ? 4.0f : size;
  const float near =
      polynomial(x * x, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2cf8p-4f, -0x1.b7f90cp-6f,
                 0x1.5405b0p-8f, -0x1.a3f6f4p-11f, 0x1.496a16p-14f) *
          size +
      size;
  const float y = polynomial(t, -0x1.075da6p-3f, -0x1.45563ep-1f, -0x1.b0b75ap-4f, 0x1.79e7b6p-6f,
                             -0x1.9f01ccp-9f, 0x1.174934p-13f, 0x1.ef087cp-16f, -0x1.e8f956p-19f) *
                      t -
                  t;
  return std::copysign(size < 1.0f ? near : 1.0f - exp(y), x);
}

/// |x| = quarter pi / 2 + rest with |rest| <= pi / 4; quarter may lack whole turns.
struct Angle {
  std::int32_t quarter;
  float rest;

  Angle() = default;
  /// The angle of `turns` times 2 pi. @pre 0 <= turns < 2^21
  static Angle of_turns(float turns) {
    const float quarters = std::rint(4.0f * turns);
    Angle a;
    a.quarter = static_cast<std::int32_t>(quarters);
    a.rest = (turns - 0.25f * quarters) * 0x1.921fb6p2f;  // of an exact difference
    return a;
  }
  /// Turns are x / (2 pi). A product of x with 29 bits of 1 / (2 pi) is exact in double, and so is
  /// what remains of it without whole turns. Four products suffice for any x: of a small one the
  /// bits further down do not matter, and of a large one the first 58 bits give whole turns.
  explicit Angle(float x) {
    constexpr double kFirst[] = {0x1.45f306cp-3, 0x1.c9c882ap-31, 0x1.4fe13a8p-61,
                                 0x1.f47d4d377036ep-88};
    constexpr double kFurther[] = {0x1.4fe13a8p-61, 0x1.f47d4d3p-88, 0x1.dc0db62p-118,
                                   0x1.2b32788720840p-147};
    const double size = static_cast<double>(std::fabs(x));
    const bool large = size >= 0x1p84;
    const auto product = [&](int i) { return size * (large ? kFurther[i] : kFirst[i]); };
    const auto part = [&](int i) { return product(i) - std::rint(product(i)); };
    const double a = part(0), b = part(1), c = part(2), d = product(3);  // d is less than a turn
    const double quarters = std::rint(4.0 * (a + b + c + d));
    quarter = static_cast<std::int32_t>(quarters);
    // The large parts cancel exactly before the small ones are added.
    const double turns = (((a - 0.25 * quarters) + b) + c) + d;
    rest = static_cast<float>(turns * 0x1.921fb54442d18p2);
  }
  float sin() const {
    const float value = quarter & 1 ? cosine_of_rest() : sine_of_rest();
    return quarter & 2 ? -value : value;
  }
  float cos() const {
    const float value = quarter & 1 ? sine_of_rest() : cosine_of_rest();
    return (quarter + 1) & 2 ? -value : value;
  }

 private:
  float sine_of_rest() const {
    const float z = rest * rest;
    return polynomial(z, -0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f80p-13f, 0x1.6cd1f2p-19f) * z *
               rest +
           rest;
  }
  float cosine_of_rest() const {
    const float z = rest * rest;
    return polynomial(z, 1.0f, -0.5f, 0x1.55554ap-5f, -0x1.6c0c34p-10f, 0x1.99eb9cp-16f);
  }
};

/// 1.5 ulp.
inline float sin(float x) { return std::copysign(1.0f, x) * Angle(x).sin(); }
inline float cos(float x) { return Angle(x).cos(); }

/// rest[i] = fmod(a[i], b[i]), exactly. Each pass takes off the first 24 bits of the quotients, of
/// which the product with b is exact in double, until no rest reaches b. One pass is the rule.
inline void fmod(std::int64_t n, const float* a, const float* b, double* rest) {
  for (std::int64_t i = 0; i < n; ++i) rest[i] = static_cast<double>(a[i]);
  for (std::int64_t more = 1; more;) {
    more = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double divisor = static_cast<double>(std::fabs(b[i])), size = std::fabs(rest[i]);
      constexpr std::uint64_t kFirstBits = ~std::uint64_t{0} << 29;
      const auto bits = std::bit_cast<std::uint64_t>(size / divisor) & kFirstBits;
      double left = size - std::trunc(std::bit_cast<double>(bits)) * divisor;
      left = left < 0 ? left + divisor : left;  // a quotient that was rounded up
      left = size < divisor ? size : left;
      rest[i] = std::copysign(left, rest[i]);
      more |= left >= divisor;
    }
  }
}

}  // namespace td::host_math
