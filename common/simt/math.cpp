// The special functions of CUDA that C++ lacks, in double.
#include "simt/math.h"

#include <limits>

namespace td::simt {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kTwoOverRootPi = 1.1283791670955126;

/// Improves y, for which erfc(y) is about x, by Halley's method.
double refine_erfcinv(double x, double y) {
  for (int i = 0; i < 4; ++i) {
    const double slope = -kTwoOverRootPi * std::exp(-y * y);
    if (slope == 0) break;
    const double step = (std::erfc(y) - x) / slope;
    y -= step / (1 + y * step);
  }
  return y;
}

/// A first guess: Winitzki's formula for the inverse of erf, whose log(1 - x * x) is given.
double guess_erfinv(double log_term) {
  constexpr double kA = 0.147;
  const double t = 2 / (kPi * kA) + log_term / 2;
  return std::sqrt(std::sqrt(t * t - log_term / kA) - t);
}

}  // namespace

double erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return kNan;
  if (x == 0 || x == 2) return x == 0 ? HUGE_VAL : -HUGE_VAL;
  if (x > 1) return -erfcinv(2 - x);
  return refine_erfcinv(x, guess_erfinv(std::log(x) + std::log(2 - x)));
}

double erfinv(double x) {
  const double size = std::fabs(x);
  if (size >= 0.5) return std::copysign(erfcinv(1 - size), x);
  double y = std::copysign(guess_erfinv(std::log1p(-x * x)), x);
  for (int i = 0; i < 4; ++i) y -= (std::erf(y) - x) / (kTwoOverRootPi * std::exp(-y * y));
  return y;
}

double erfcx(double x) {
  constexpr double kLarge = 10;
  if (!(x > kLarge)) return std::exp(x * x) * std::erfc(x);
  // The asymptotic series, whose terms fall until the 100th.
  double term = 1, sum = 1;
  for (int i = 1; i < 20; ++i) sum += term *= -(2 * i - 1) / (2 * x * x);
  return kTwoOverRootPi / 2 / x * sum;
}

double cyl_bessel_i(int order, double x) {
  const double value = std::cyl_bessel_i(order, std::fabs(x));
  return order % 2 == 1 && x < 0 ? -value : value;
}

double sinpi(double x) {
  const double rest = std::fmod(x, 2);  // exact
  if (rest == std::trunc(rest)) return std::copysign(0.0, x);
  const double quarter = std::nearbyint(2 * rest);
  const double angle = kPi * (rest - quarter / 2);
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return std::sin(angle);
    case 1:
      return std::cos(angle);
    case 2:
      return -std::sin(angle);
    default:
      return -std::cos(angle);
  }
}

double cospi(double x) {
  const double rest = std::fabs(std::fmod(x, 2));
  if (rest == 0.5 || rest == 1.5) return 0;
  return sinpi(rest + 0.5);
}

}  // namespace td::simt
