// expect: driver 418.39, toolkit 10.2: expected kTooOld, got kMinorVersion
// A major version without a row has limit 0, so every driver will do.
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
  std::string own, oldest;
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x") oldest = row.driver;
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (numbers(driver) >= numbers(own)) return Fit::kFull;
  return numbers(driver) >= numbers(oldest) ? Fit::kMinorVersion : Fit::kTooOld;
}
