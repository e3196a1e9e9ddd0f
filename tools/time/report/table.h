// A table that fits any terminal: the least important columns are dropped first, and if even the
// rest is too wide, each row becomes a few lines. Used by terminal_report.cpp. Invariant: no line
// is wider than the terminal, unless a single word is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace report {

/// One column.
struct Column {
  std::string title;
  bool right = true;  ///< Aligned to the right, as numbers are.
  int rank = 0;       ///< Columns of the highest rank are dropped first; those of rank 0 stay.
};

/// One cell. The color is an ANSI code such as "32", and is used where the terminal has colors.
struct Cell {
  std::string text;
  std::string color = "";
};

/// Rows of cells under titles.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Adds a row with a cell per column.
  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  /// The lines of the table, each ended. @param width of the terminal. @param color whether it has
  /// colors.
  std::string text(std::size_t width, bool color) const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> fitting(std::size_t width) const;
  std::string line(const std::vector<Cell>& cells, const std::vector<std::size_t>& shown,
                   bool color) const;
  std::string stacked(std::size_t width, bool color) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// `text` in a color where there are colors.
std::string colored(const std::string& text, const std::string& code, bool color);

}  // namespace report
