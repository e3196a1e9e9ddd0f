// expect: driver 525.105.17, toolkit 12.0: expected kFull, got
// Reads a version as a decimal number: 525.105 is smaller than 525.60.
#include <string>

#include "exercises.h"

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  double own = 0, oldest = 1e9;
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = std::stod(row.driver);
    if (row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x") oldest = std::stod(row.driver);
  }
  if (own == 0) throw td::Error("no toolkit " + toolkit);
  const double have = std::stod(driver);
  return have >= own ? Fit::kFull : have >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
