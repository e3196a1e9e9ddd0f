// Widths are counted in columns of the terminal; colors are added after the padding.
#include "table.h"

#include <algorithm>

#include "app/terminal.h"
#include "text.h"

namespace report {
namespace {

constexpr std::size_t kGap = 2;

std::string without_spaces_at_the_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string colored(const std::string& text, const std::string& code, bool color) {
  return color && !code.empty() && !text.empty() ? "\x1b[" + code + "m" + text + "\x1b[0m" : text;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = app::columns(columns_[i].title);
    for (const auto& cells : rows_) widest = std::max(widest, app::columns(cells[i].text));
    all.push_back(widest);
  }
  return all;
}

std::vector<std::size_t> Table::fitting(std::size_t width) const {
  const std::vector<std::size_t> all = widths();
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool empty = std::all_of(rows_.begin(), rows_.end(),
                                   [i](const auto& cells) { return cells[i].text.empty(); });
    if (!empty) shown.push_back(i);
  }
  const auto total = [&] {
    std::size_t sum = 0;
    for (const std::size_t i : shown) sum += all[i] + kGap;
    return sum;
  };
  while (total() > width) {
    const auto last = std::max_element(
        shown.begin(), shown.end(),
        [&](std::size_t a, std::size_t b) { return columns_[a].rank < columns_[b].rank; });
    if (columns_[*last].rank == 0) return {};
    shown.erase(last);
  }
  return shown;
}

std::string Table::line(const std::vector<Cell>& cells, const std::vector<std::size_t>& shown,
                        bool color) const {
  const std::vector<std::size_t> all = widths();
  std::string text;
  for (const std::size_t i : shown) {
    const bool last = i == shown.back() && !columns_[i].right;
    const std::string cell = app::padded(cells[i].text, last ? 0 : all[i], columns_[i].right);
    text += std::string(kGap, ' ') + colored(cell, cells[i].color, color);
  }
  return without_spaces_at_the_end(text) + "\n";
}

std::string Table::stacked(std::size_t width, bool color) const {
  std::string text;
  for (const auto& cells : rows_) {
    text += "  " + app::wrap(cells[0].text, width - 2, 4) + "\n";
    std::string rest;
    for (std::size_t i = 1; i < cells.size(); ++i)
      if (!cells[i].text.empty() && columns_[i].rank < 3)
        rest += (rest.empty() ? "" : ", ") + columns_[i].title + " " + cells[i].text;
    text += "    " + colored(app::wrap(rest, width - 4, 4), "2", color) + "\n";
  }
  return text;
}

std::string Table::text(std::size_t width, bool color) const {
  const std::vector<std::size_t> shown = fitting(width);
  if (shown.empty()) return stacked(width, color);
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.push_back({column.title, "2"});
  std::string text = line(titles, shown, color);
  for (const auto& cells : rows_) text += line(cells, shown, color);
  return text;
}

}  // namespace report
