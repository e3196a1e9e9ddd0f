// expect: driver 535.104.05, toolkit 12.4: expected kMinorVersion, got kTooOld
// The rule from before CUDA 11: every toolkit needs its own driver.
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
  for (const auto& row : rows)
    if (row.toolkit == toolkit)
      return numbers(driver) >= numbers(row.driver) ? Fit::kFull : Fit::kTooOld;
  throw td::Error("no toolkit " + toolkit);
}
