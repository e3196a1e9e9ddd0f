// Lays out a --help.
#include "app/option_help.h"

#include <algorithm>

#include "app/terminal.h"

namespace app {
namespace {

constexpr std::size_t kIndent = 2, kGap = 2;
// Below this width, the texts in a second column would have only a few words per line.
constexpr std::size_t kTwoColumns = 64;
// A longer name has its text below it, so that it does not make the column of texts narrow.
constexpr std::size_t kLongestName = 28;

std::size_t name_column(const HelpText& help) {
  std::size_t widest = 0;
  for (const auto& [title, rows] : help.sections)
    for (const auto& row : rows)
      if (const std::size_t width = columns(row.first); width <= kLongestName)
        widest = std::max(widest, width);
  return kIndent + widest + kGap;
}

std::string row_lines(const std::pair<std::string, std::string>& row, std::size_t column,
                      std::size_t width) {
  const std::string name = std::string(kIndent, ' ') + row.first;
  if (row.second.empty()) return name + "\n";
  const bool beside = width >= kTwoColumns && columns(name) + kGap <= column;
  const std::size_t indent = width >= kTwoColumns ? column : 3 * kIndent;
  const std::string start = beside ? padded(name, indent) : name + "\n" + std::string(indent, ' ');
  return start + wrap(row.second, width, indent, indent) + "\n";
}

}  // namespace

std::string laid_out(const HelpText& help, std::size_t width) {
  std::string text = wrap(help.summary, width) + "\n\nUsage: " + wrap(help.usage, width, 7, 7);
  text += '\n';
  const std::size_t column = name_column(help);
  for (const auto& [title, rows] : help.sections) {
    if (rows.empty()) continue;
    text += "\n" + title + ":\n";
    for (const auto& row : rows) text += row_lines(row, column, width);
  }
  if (!help.example.empty()) text += "\nExample: " + wrap(help.example, width, 9, 9) + "\n";
  return text;
}

}  // namespace app
