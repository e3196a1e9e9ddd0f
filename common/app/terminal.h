// What a program writes to: its width, and whether it supports colors and UTF-8. Used by the help
// of every program, and by the commands of the tool that print a table or a long line.
#pragma once

#include <cstddef>
#include <string>

namespace app {

/// What a terminal can do, or what a pipe or a file takes instead.
struct Terminal {
  bool interactive = false;  ///< A person may be looking at it.
  std::size_t width = 80;    ///< Columns, at least 20. COLUMNS decides where there is no terminal.
  bool color = false;        ///< Never with NO_COLOR, without a terminal, or with TERM=dumb.
  bool utf8 = false;         ///< LC_ALL, LC_CTYPE or LANG names UTF-8, in this order.
};

/// Queries a file descriptor, usually STDOUT_FILENO.
Terminal terminal_of(int descriptor);

/// What a color means here.
enum class Color { good = 32, warning = 33, bad = 31, here = 36 };

/// Returns `text` in a color if the terminal supports colors. Count its columns before this call.
std::string colored(const std::string& text, Color color, const Terminal& terminal);

/// Breaks `text` at spaces into lines of at most `width` columns. All lines but the first begin
/// with `indent` spaces. A word that is longer than a line stays whole. UTF-8 counts a column per
/// code point. @param used columns that the first line has already, before `text`.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent = 0,
                 std::size_t used = 0);

/// The columns that `text` takes: one per code point of UTF-8.
std::size_t columns(const std::string& text);

/// Returns `text` filled with spaces to `width` columns; with `right` they come before it. A longer
/// text is unchanged.
std::string padded(const std::string& text, std::size_t width, bool right = false);

}  // namespace app
