#include "exercises.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <tuple>

// answer: any_row_will_do
// expect: driver 525.60.12, toolkit 12.9: expected kTooOld, got kMinorVersion
// Forgets that minor-version compatibility ends at the major version. Tables that let one build
// serve toolkits 11.1 to 12.1 make this mistake.
namespace any_row_will_do {
namespace {
std::tuple<int, int, int> numbers(const std::string& version) {
  int a = 0, b = 0, c = 0;
  std::sscanf(version.c_str(), "%d.%d.%d", &a, &b, &c);
  return {a, b, c};
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::string own;
  auto oldest = numbers(rows[0].driver);
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    oldest = std::min(oldest, numbers(row.driver));
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (numbers(driver) >= numbers(own)) return Fit::kFull;
  return numbers(driver) >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
}  // namespace any_row_will_do

// answer: as_decimals
// expect: driver 525.105.17, toolkit 12.0: expected kFull, got
// Reads a version as a decimal number: 525.105 is smaller than 525.60.
namespace as_decimals {
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
}  // namespace as_decimals

// answer: compares_words
// expect: driver 525.105.17, toolkit 12.0: expected kFull, got kTooOld
// Right on the README's example. As words, "525.105" comes before "525.60".
namespace compares_words {
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
}  // namespace compares_words

// answer: first_number_only
// expect: driver 525.60.12, toolkit 12.9: expected kTooOld, got kMinorVersion
// Compares 525 and ignores the rest.
namespace first_number_only {
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
}  // namespace first_number_only

// answer: lists_with_zeros
// expect: driver 570.26.00, toolkit 12.8: expected kFull
// Adds no zeros: of versions that do not have as many numbers, it compares only the first ones.
namespace lists_with_zeros {
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
}  // namespace lists_with_zeros

// answer: no_minor_versions
// expect: driver 535.104.05, toolkit 12.4: expected kMinorVersion, got kTooOld
// The rule from before CUDA 11: every toolkit needs its own driver.
namespace no_minor_versions {
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
}  // namespace no_minor_versions

// answer: no_row_is_no_limit
// expect: driver 418.39, toolkit 10.2: expected kTooOld, got kMinorVersion
// A major version without a row has limit 0, so every driver will do.
namespace no_row_is_no_limit {
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
}  // namespace no_row_is_no_limit

// answer: oldest_of_the_major
// expect: driver 450.51.06, toolkit 11.4: expected kTooOld, got kMinorVersion
// Takes the oldest driver of any toolkit of the major version, and not the row with x.
namespace oldest_of_the_major {
namespace {
std::tuple<int, int, int> numbers(const std::string& version) {
  int a = 0, b = 0, c = 0;
  std::sscanf(version.c_str(), "%d.%d.%d", &a, &b, &c);
  return {a, b, c};
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::string own;
  auto oldest = numbers("9999");
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (std::stoi(row.toolkit) == std::stoi(toolkit))
      oldest = std::min(oldest, numbers(row.driver));
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (numbers(driver) >= numbers(own)) return Fit::kFull;
  return numbers(driver) >= oldest ? Fit::kMinorVersion : Fit::kTooOld;
}
}  // namespace oldest_of_the_major

// answer: without_padding
// expect: driver 570.26, toolkit 12.8: expected kFull
// Compares lists of numbers as they are: {570, 26} is smaller than {570, 26, 0}.
namespace without_padding {
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
}  // namespace without_padding

// answer: octal
// expect: driver 570.26.08, toolkit 12.8: expected kFull
// Lets std::stoi detect the base: a number that begins with 0 is octal, and "08" is 0.
namespace octal {
namespace {
std::vector<int> numbers(const std::string& version) {
  std::vector<int> parts;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');)
    parts.push_back(std::stoi(part, nullptr, /*base=*/0));
  parts.resize(3);
  return parts;
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::string own, oldest = "9999";
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x") oldest = row.driver;
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (numbers(driver) >= numbers(own)) return Fit::kFull;
  return numbers(driver) >= numbers(oldest) ? Fit::kMinorVersion : Fit::kTooOld;
}
}  // namespace octal

// answer: two_digits_each
// expect: driver 525.60.113, toolkit 12.4: expected kTooOld
// Makes one number of a version, with two digits for each part after the first.
namespace two_digits_each {
namespace {
long number(const std::string& version) {
  long a = 0, b = 0, c = 0;
  std::sscanf(version.c_str(), "%ld.%ld.%ld", &a, &b, &c);
  return (a * 100 + b) * 100 + c;
}
}  // namespace

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  std::string own, oldest = "99999";
  for (const auto& row : rows) {
    if (row.toolkit == toolkit) own = row.driver;
    if (row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x") oldest = row.driver;
  }
  if (own.empty()) throw td::Error("no toolkit " + toolkit);
  if (number(driver) >= number(own)) return Fit::kFull;
  return number(driver) >= number(oldest) ? Fit::kMinorVersion : Fit::kTooOld;
}
}  // namespace two_digits_each
