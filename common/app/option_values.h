// The values of options: text to number, and what a message says about both. Used by
// option_parser.cpp. Invariant: knows nothing of CLI11.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace app {

/// Why a text is not a value of an option.
struct BadValue {
  std::string expected;  ///< "an integer of at least 1"; empty: nothing is wrong.
  std::string example;   ///< A valid text, where the option has no default; may be empty.
};

/// Reads a decimal integer within bounds; leaves `value` unchanged when it is not one.
BadValue read_value(const std::string& text, std::int64_t& value, std::int64_t least,
                    std::int64_t most);
/// The same, with only the bounds of the type.
BadValue read_value(const std::string& text, std::uint64_t& value);
/// Reads a finite number within bounds, which may be infinite.
BadValue read_value(const std::string& text, double& value, double least, double most);
/// Reads one of `allowed`.
BadValue read_value(const std::string& text, std::string& value,
                    const std::vector<std::string>& allowed);

/// The parts between commas.
std::vector<std::string> split(const std::string& text);
/// "a, b, c".
std::string listed(const std::vector<std::string>& items);
/// The shortest text that reads back as this number.
std::string shortest(double value);
/// What was typed, in quotes, and short enough for a message.
std::string quoted(const std::string& given);

}  // namespace app
