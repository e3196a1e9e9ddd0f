// The names that lines of StableHLO define, for exercises that limit them.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "check.h"

/// The names, without the %, that the lines define: those before an equals sign, and the arguments
/// of blocks.
inline std::vector<std::string> defined_names(const std::string& lines) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
  };
  std::vector<std::string> names;
  bool in_block_arguments = false, after_caret = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == '^') after_caret = true;
    if (lines[i] == '(') in_block_arguments = std::exchange(after_caret, false);
    if (lines[i] == ')') in_block_arguments = false;
    if (lines[i] != '%') continue;
    std::size_t end = i + 1;
    while (end < lines.size() && is_part(lines[end])) ++end;
    const std::size_t next = std::min(lines.find_first_not_of(" \t\n", end), lines.size());
    const bool is_assigned = next < lines.size() && lines[next] == '=';
    if (is_assigned || in_block_arguments) names.push_back(lines.substr(i + 1, end - i - 1));
  }
  return names;
}

/// Fails unless every name that the lines define begins with one of the results' names.
inline void expect_names(const std::string& lines, const std::vector<std::string>& results) {
  for (const std::string& name : defined_names(lines)) {
    const bool allowed = std::any_of(results.begin(), results.end(), [&](const std::string& r) {
      return name.compare(0, r.size(), r) == 0;
    });
    check::expect(allowed, "the lines define %" + name +
                               ": all names must begin with that of a result, as in %" +
                               results[0] + "_a, or they collide with other names of the program");
  }
}
