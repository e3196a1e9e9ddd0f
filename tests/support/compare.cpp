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

}  // namespace

std::string difference(const std::vector<double>& actual, const std::vector<double>& expected,
                       double tolerance, double relative) {
  std::ostringstream text;
  text.precision(7);
  if (actual.size() != expected.size()) {
    text << "expected " << expected.size() << " elements, got " << actual.size();
    return text.str();
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (agree(actual[i], expected[i], tolerance, relative)) continue;
    if (++wrong > 1) continue;
    text << "index " << i << ": expected " << expected[i] << ", got " << actual[i]
         << remark(actual[i]);
  }
  if (wrong > 1) text << " (" << wrong << " of " << actual.size() << " elements are wrong)";
  return text.str();
}

}  // namespace check
