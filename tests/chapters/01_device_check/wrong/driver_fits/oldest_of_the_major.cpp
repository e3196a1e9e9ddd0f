// expect: driver 450.51.06, toolkit 11.4: expected kTooOld, got kMinorVersion
// Takes the oldest driver of any toolkit of the major version, and not the row with x.
#include <algorithm>
#include <cstdio>
#include <tuple>

#include "exercises.h"

namespace {
std::tuple<int, int, int> numbers(const std::string& version) {
  int a = 0, b = 0, c = 0;
  std::sscanf(version.c_str(), "%d.%d.%d", &a, &b, &c);
  return {a, b, c};
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::string own;
  auto oldest = numbers("9999");
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (std::stoi(row.toolkit) == std::stoi(toolkit))
      oldest = std::min(oldest, numbers(row.driver));
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (numbers(driver) >= numbers(own)) return Fit::kFull;
  return numbers(driver) >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
