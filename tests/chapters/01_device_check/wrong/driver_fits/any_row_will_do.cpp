// expect: driver 525.60.12, toolkit 12.9: expected kTooOld, got kMinorVersion
// Forgets that minor-version compatibility ends at the major version. Tables that let one build
// serve toolkits 11.1 to 12.1 make this mistake.
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
  auto oldest = numbers(rows[0].driver);
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    oldest = std::min(oldest, numbers(row.driver));
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (numbers(driver) >= numbers(own)) return Fit::kFull;
  return numbers(driver) >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
