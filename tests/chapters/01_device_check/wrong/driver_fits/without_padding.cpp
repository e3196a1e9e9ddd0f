// expect: driver 570.26, toolkit 12.8: expected kFull
// Compares lists of numbers as they are: {570, 26} is smaller than {570, 26, 0}.
#include <algorithm>
#include <sstream>

#include "exercises.h"

namespace {

/// "580.65.06" -> {580, 65, 6}.
std::vector<int> numbers(const std::string& version) {
  std::vector<int> parts;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) parts.push_back(std::stoi(part));
  return parts;
}

}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  const auto row_of = [&](const std::string& name) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const ToolkitRow& row) { return row.toolkit == name; });
  };
  const auto own = row_of(toolkit);
  if (own == rows.end())
    throw td::Error("toolkit " + toolkit +
                    " is not in the table; add the row from its release notes");
  const std::vector<int> have = numbers(driver);
  if (have >= numbers(own->driver)) return Fit::kFull;
  const auto major = row_of(toolkit.substr(0, toolkit.find('.')) + ".x");
  return major != rows.end() && have >= numbers(major->driver) ? Fit::kMinorVersion : Fit::kTooOld;
}
