// expect: driver 525.105.17, toolkit 12.0: expected kFull, got kTooOld
// Right on the README's example. As words, "525.105" comes before "525.60".
#include <algorithm>

#include "exercises.h"

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  const auto major = [](const std::string& version) {
    return version.substr(0, version.find('.'));
  };
  std::string own, oldest;
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (major(row.toolkit) == major(toolkit) && (oldest.empty() || row.driver < oldest))
      oldest = row.driver;
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  return driver >= own ? Fit::kFull : driver >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
