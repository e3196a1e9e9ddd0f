// expect: driver 570.26.00, toolkit 12.8: expected kFull
// Adds no zeros: of versions that do not have as many numbers, it compares only the first ones.
#include <sstream>

#include "exercises.h"

namespace {
std::vector<int> numbers(const std::string& version) {
  std::vector<int> parts;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) parts.push_back(std::stoi(part));
  return parts;
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::vector<int> own, oldest = {1 << 20};
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = numbers(row.driver);
    if (row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x") oldest = numbers(row.driver);
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  const std::vector<int> have = numbers(driver);
  if (have.size() == own.size() && have >= own) return Fit::kFull;
  if (have.size() != own.size() && have[0] > own[0]) return Fit::kFull;
  return have >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
