// driver_fits: exercise 1.driver_fits, declared in exercises.h.
#include <algorithm>
#include <sstream>

#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

/// "580.65.06" -> {580, 65, 6}. Vectors compare as versions do once trailing zeros are gone.
std::vector<int> numbers(const std::string& version) {
  std::vector<int> parts;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) parts.push_back(std::stoi(part));
  while (!parts.empty() && parts.back() == 0) parts.pop_back();
  return parts;
}

}  // namespace
// end

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  // blank: Compare number by number: own row, then major version. About 15 lines.
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
  // end
}
