// The processor's own rounding modes. Invariant: operands and results are volatile, because a
// compiler otherwise moves an operation across the change of the mode.
#include "simt/rounding.h"

#include <cfenv>
#include <cmath>

namespace td::simt {
namespace {

class Mode {
 public:
  explicit Mode(Rounding rounding) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    std::fesetround(kModes[static_cast<int>(rounding)]);
  }
  ~Mode() { std::fesetround(before_); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  const int before_;
};

template <class T>
T compute(Arithmetic operation, T a, T b, T c) {
  switch (operation) {
    case Arithmetic::kAdd:
      return a + b;
    case Arithmetic::kSubtract:
      return a - b;
    case Arithmetic::kMultiply:
      return a * b;
    case Arithmetic::kDivide:
      return a / b;
    case Arithmetic::kFma:
      return std::fma(a, b, c);
    case Arithmetic::kRoot:
      return std::sqrt(a);
  }
  return a;
}

template <class T>
T compute_in_mode(Arithmetic operation, Rounding rounding, T a, T b, T c) {
  const Mode mode(rounding);
  const volatile T x = a, y = b, z = c;
  const volatile T result = compute<T>(operation, x, y, z);
  return result;
}

template <class To, class From>
To convert_in_mode(From x, Rounding rounding) {
  const Mode mode(rounding);
  const volatile From from = x;
  const volatile To result = static_cast<To>(from);
  return result;
}

}  // namespace

float rounded(Arithmetic operation, Rounding rounding, float a, float b, float c) {
  return compute_in_mode(operation, rounding, a, b, c);
}
double rounded(Arithmetic operation, Rounding rounding, double a, double b, double c) {
  return compute_in_mode(operation, rounding, a, b, c);
}

float to_float(double x, Rounding rounding) { return convert_in_mode<float>(x, rounding); }
float to_float(long long x, Rounding rounding) { return convert_in_mode<float>(x, rounding); }
float to_float(unsigned long long x, Rounding rounding) {
  return convert_in_mode<float>(x, rounding);
}
double to_double(long long x, Rounding rounding) { return convert_in_mode<double>(x, rounding); }
double to_double(unsigned long long x, Rounding rounding) {
  return convert_in_mode<double>(x, rounding);
}

}  // namespace td::simt
