// The comparison itself, and the texts for the most frequent causes of a wrong number.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#ifdef __FAST_MATH__
#error "-ffast-math deletes the tests for NaN; the checker must be compiled without it"
#endif

namespace check {
namespace {

bool agree(double actual, double expected, double tolerance, double relative) {
  if (std::isinf(expected) || std::isinf(actual)) return actual == expected;
  // false for NaN
  return std::fabs(actual - expected) <= std::max(tolerance, relative * std::fabs(expected));
}

/// The probable cause of a wrong value; empty when there is none.
std::string remark(double actual) {
  if (std::isnan(actual)) return ", which is not a number";
  if (actual == static_cast<double>(kPoison)) return ": this element was never written";
  return "";
}

std::string spelled(double value, int digits) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return text.str();
}

/// Both numbers with seven digits, or with all of them where seven do not show that they differ.
std::string expected_and_got(double expected, double actual) {
  const int digits = spelled(expected, 7) == spelled(actual, 7) ? 17 : 7;
  return "expected " + spelled(expected, digits) + ", got " + spelled(actual, digits);
}

}  // namespace

std::string difference(const std::vector<double>& actual, const std::vector<double>& expected,
                       double tolerance, double relative) {
  std::ostringstream text;
  if (actual.size() != expected.size()) {
    text << "expected " << expected.size() << " elements, got " << actual.size();
    return text.str();
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (agree(actual[i], expected[i], tolerance, relative)) continue;
    if (++wrong > 1) continue;
    text << "index " << i << ": " << expected_and_got(expected[i], actual[i]) << remark(actual[i]);
  }
  if (wrong > 1) text << " (" << wrong << " of " << actual.size() << " elements are wrong)";
  return text.str();
}

}  // namespace check
