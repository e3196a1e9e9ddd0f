#include "exercises.h"

#include <cstdio>
#include <map>
#include <tuple>

// answer: with_a_map
// With a map of the rows and a tuple of three numbers.
namespace with_a_map {
namespace {
std::tuple<int, int, int> numbers(const std::string& version) {
  int a = 0, b = 0, c = 0;
  std::sscanf(version.c_str(), "%d.%d.%d", &a, &b, &c);
  return {a, b, c};
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::map<std::string, std::string> drivers;
  for (const auto& row : rows) drivers[row.toolkit] = row.driver;
  if (!drivers.count(toolkit)) throw td::Error(toolkit + " is missing");
  const std::string family = std::to_string(std::stoi(toolkit)) + ".x";
  if (numbers(driver) < numbers(drivers[toolkit])) {
    if (drivers.count(family) == 0 || numbers(driver) < numbers(drivers[family]))
      return Fit::kTooOld;
    return Fit::kMinorVersion;
  }
  return Fit::kFull;
}
}  // namespace with_a_map
