// The layout of a --help: names on the left and their texts on the right, or below each other where
// the terminal is narrow. Filled by option_parser.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace app {

/// The contents of a --help, before they are laid out.
struct HelpText {
  using Rows = std::vector<std::pair<std::string, std::string>>;  ///< A name, and what it is.

  std::string usage;                                   ///< "./course check [exercise] [options]"
  std::string summary;                                 ///< One sentence.
  std::vector<std::pair<std::string, Rows>> sections;  ///< One without rows is left out.
  std::string example;                                 ///< A line to type; empty: none.
};

/// Lays it out in lines of at most `width` columns. Only a longer word exceeds this width.
std::string laid_out(const HelpText& help, std::size_t width);

}  // namespace app
