// Three significant digits match the precision of a median of a few samples.
#include "text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace report {
namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Whether one of the units that this file prints stands at `place` as a word.
bool begins_with_unit(const std::string& words, std::size_t place) {
  for (const char* unit : {"ns", "us", "ms", "s", "%"}) {
    const std::size_t end = place + std::strlen(unit);
    if (words.compare(place, end - place, unit) == 0 &&
        (end >= words.size() || std::isalpha(words[end]) == 0))
      return true;
  }
  return false;
}

}  // namespace

std::string number_text(double value) {
  const double size = std::fabs(value);
  // 9.995 would be rounded to 10.00, which has a digit too many.
  const int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fixed(value, digits);
}

std::string time_text(double seconds) {
  if (seconds >= 0.9995) return number_text(seconds) + " s";
  if (seconds >= 0.9995e-3) return number_text(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return number_text(seconds * 1e6) + " us";
  return number_text(seconds * 1e9) + " ns";
}

std::string percent_text(double share) { return fixed(share * 100, 0) + " %"; }

std::string change_text(double difference) {
  if (std::fabs(difference) < 0.005) return "0 %";
  return (difference > 0 ? "+" : "") + percent_text(difference);
}

std::string rounds_text(int rounds, double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%d %s of %g s", rounds, rounds == 1 ? "round" : "rounds",
                seconds);
  return text;
}

std::string rate_text(double per_second, const std::string& unit) {
  const bool samples = unit == "samples";
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int prefix = 0;
  // Readers count samples in thousands and compare "9500 samples" more easily than "9.50 k".
  for (double limit = samples ? 99950 : 999.5; per_second >= limit && prefix < 5; ++prefix) {
    per_second /= 1000;
    limit = 999.5;
  }
  const std::string name = samples           ? "samples"
                           : unit == "bytes" ? "B"
                           : unit == "flops" ? "FLOP"
                                             : unit;
  const std::string space = samples && prefix > 0 ? " " : "";
  return number_text(per_second) + " " + prefixes[prefix] + space + name;
}

std::string tied(const std::string& words, const std::string& tie) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool after_digit = words[i] == ' ' && i > 0 && std::isdigit(words[i - 1]) != 0;
    text += after_digit && begins_with_unit(words, i + 1) ? tie : words.substr(i, 1);
  }
  return text;
}

}  // namespace report
