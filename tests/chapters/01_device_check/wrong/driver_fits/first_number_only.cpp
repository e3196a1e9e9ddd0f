// expect: driver 525.60.12, toolkit 12.9: expected kTooOld, got kMinorVersion
// Compares 525 and ignores the rest.
#include <string>

#include "exercises.h"

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  int own = 0, oldest = 1 << 20;
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = std::stoi(row.driver);
    if (row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x") oldest = std::stoi(row.driver);
  }
  if (own == 0) throw td::Error("no toolkit " + toolkit);
  const int have = std::stoi(driver);
  return have >= own ? Fit::kFull : have >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
