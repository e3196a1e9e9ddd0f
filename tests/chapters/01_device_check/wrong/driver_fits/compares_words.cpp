// expect: driver 525.105.17, toolkit 12.0: expected kFull, got kTooOld
// Right on the README's example. As words, "525.105" comes before "525.60".
#include <string>

#include "exercises.h"

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  const auto major = toolkit.substr(0, toolkit.find('.')) + ".x";
  std::string own, oldest = "~";
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (row.toolkit == major) oldest = row.driver;
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  return driver >= own ? Fit::kFull : driver >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
