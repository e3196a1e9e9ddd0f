// Plain text layout: first the parts above and below the checker's text; the text gets the rest. A
// small window loses decoration first, then help, and the verdict last.
#include "watch_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/terminal.h"
#include "watch_text.h"

namespace course {
namespace {

struct KeyHelp {
  const char* key;
  const char* word;
  const char* explanation;
};
constexpr std::array<KeyHelp, 10> kKeys = {{
    {"h", "hint", "shows the next hint, from a nudge to nearly the answer"},
    {"l", "list", "shows all exercises; choose one with the arrows and Enter"},
    {"n", "next", "goes to the next exercise, after a pass"},
    {"r", "run", "runs the chapter's program with your exercises"},
    {"e", "edit", "opens the file in your editor, which EDITOR names"},
    {"c", "check", "checks the exercise again; saving its file does the same"},
    {"s", "solution", "shows the solution, after a pass or the last hint"},
    {"x", "reset", "brings the original file back; your text is kept"},
    {"?", "keys", "shows this page"},
    {"q", "quit", "ends watch, also from the list"},
}};

// The columns of the word "pass" in a line of the list.
constexpr std::size_t kMarkBegin = 3, kMarkEnd = 7;

/// Makes rows that fit into the columns.
class Rows {
 public:
  explicit Rows(const Space& space)
      : columns_(static_cast<std::size_t>(std::max(space.columns, 1))), utf8_(space.utf8) {}
  std::size_t columns() const { return columns_; }
  std::string text(const std::string& text) const {
    return clipped(printable(text, utf8_), columns_, utf8_);
  }
  Row row(const std::string& words, Style style = Style::plain) const {
    return {{text(words), style}};
  }
  Row path(const std::string& path) const {
    return {{clipped_path(printable(path, utf8_), columns_, utf8_), Style::dim}};
  }
  Row rule() const {
    std::string line;
    for (std::size_t i = 0; i < columns_; ++i) line += utf8_ ? "─" : "-";
    return {{line, Style::dim}};
  }
  /// A line of the list; the mark of a pass stands out, unless the line itself does.
  Row entry(const std::string& words, Style style) const {
    const std::string line = text(words);
    if (style != Style::plain || line.size() <= kMarkEnd) return {{line, style}};
    return {{line.substr(0, kMarkBegin)},
            {line.substr(kMarkBegin, kMarkEnd - kMarkBegin), Style::pass},
            {line.substr(kMarkEnd)}};
  }
  /// `left`, and at the right edge `right`.
  Row edges(const std::string& left, const std::string& right, Style style) const {
    const std::size_t room =
        columns_ > app::columns(right) + 1 ? columns_ - app::columns(right) - 1 : 0;
    const std::string begin = clipped(printable(left, utf8_), room, utf8_);
    if (room == 0) return row(left, style);
    return {{begin, style},
            {std::string(room + 1 - app::columns(begin), ' ') + right, Style::plain}};
  }
  std::string bar(std::size_t done, std::size_t all) const {
    const std::string count = std::to_string(done) + "/" + std::to_string(all);
    if (columns_ < 50 || all == 0) return count;
    const Bar bar = progress_bar(done, all, columns_ < 80 ? 10 : 20, utf8_);
    return bar.filled + bar.rest + "  " + count;
  }
  /// The keys in as few rows as possible; only the last two if `few`.
  std::vector<Row> keys(bool few) const {
    std::vector<Row> rows(1);
    std::size_t used = 0;
    for (std::size_t i = few ? kKeys.size() - 2 : 0; i < kKeys.size(); ++i) {
      const std::string word = std::string(" ") + kKeys[i].word;
      const std::size_t width = word.size() + 1;
      if (used > 0 && used + 2 + width > columns_) {
        rows.emplace_back();
        used = 0;
      }
      if (used > 0) rows.back().push_back({"  ", Style::plain});
      rows.back().push_back({kKeys[i].key, Style::key});
      rows.back().push_back({clipped(word, columns_ - 1, utf8_), Style::plain});
      used += width + (used > 0 ? 2 : 0);
    }
    return rows;
  }

 private:
  std::size_t columns_;
  bool utf8_;
};

/// How much of the page's decoration a window has room for.
struct Detail {
  bool rules, path, next, all_keys;
};

Detail detail_for(int rows) { return {rows >= 16, rows >= 10, rows >= 12, rows >= 10}; }

std::size_t passed_in(const Chapter& chapter, const Progress& progress) {
  return static_cast<std::size_t>(
      std::count_if(chapter.exercises.begin(), chapter.exercises.end(),
                    [&](const Exercise& e) { return progress.passed(e); }));
}

std::vector<Row> rows_above(const Course& course, const Progress& progress,
                            const ExercisePage& what, const Rows& rows, const Detail& detail) {
  const Exercise& e = *what.exercise;
  const Chapter& chapter = course.chapter(e.chapter);
  std::vector<Row> above;
  if (detail.path)
    above.push_back(rows.edges(chapter.number_text() + "  " + chapter.title,
                               rows.bar(passed_in(chapter, progress), chapter.exercises.size()),
                               Style::plain));
  if (detail.rules) above.push_back(rows.rule());
  above.push_back(rows.edges(e.id() + "  " + e.title,
                             std::to_string(e.minutes) + " min" + (e.optional ? ", optional" : ""),
                             Style::strong));
  if (detail.path) above.push_back(rows.path(course.shown(course.stub(e))));
  if (detail.rules) above.emplace_back();
  above.push_back(rows.row(what.state, what.state_style));
  if (detail.rules) above.emplace_back();
  return above;
}

std::vector<Row> rows_below(const Course& course, const Progress& progress,
                            const ExercisePage& what, const Rows& rows, const Detail& detail) {
  std::vector<Row> below;
  if (detail.rules) below.push_back(rows.rule());
  if (detail.next) {
    const Exercise* next = next_exercise(course, progress, what.exercise);
    if (next != nullptr && next != what.exercise)
      below.push_back(rows.row("Next: " + next->id() + "  " + next->title, Style::dim));
    else
      below.push_back(
          rows.row(next ? "This is the last open exercise." : "All exercises passed.", Style::dim));
  }
  for (const auto& line : fold(what.note, rows.columns()))
    if (!what.note.empty()) below.push_back(rows.row(line, Style::strong));
  for (auto& row : rows.keys(!detail.all_keys)) below.push_back(std::move(row));
  return below;
}

/// The rows of the text that are shown, with a last row that shows their position when not all fit.
void add_text(Page& page, const std::vector<std::string>& lines, const ExercisePage& what,
              std::size_t room, const Rows& rows) {
  const Style style = what.old ? Style::dim : Style::plain;
  const bool scrolls = lines.size() > room && room > 1;
  page.visible = scrolls ? room - 1 : room;
  page.last = lines.size() > page.visible ? lines.size() - page.visible : 0;
  const std::size_t first = std::min(what.scrolled, page.last);
  const std::size_t end = std::min(lines.size(), first + page.visible);
  for (std::size_t i = first; i < end; ++i) page.rows.push_back(rows.row(lines[i], style));
  for (std::size_t i = end; i < first + page.visible; ++i) page.rows.emplace_back();
  if (scrolls)
    page.rows.push_back(rows.row("(lines " + std::to_string(first + 1) + " to " +
                                     std::to_string(end) + " of " + std::to_string(lines.size()) +
                                     "; arrows scroll)",
                                 Style::dim));
}

}  // namespace

Style style_of(Result result) {
  switch (result) {
    case Result::pass:
      return Style::pass;
    case Result::fail:
      return Style::fail;
    case Result::not_done_yet:
      return Style::unfinished;
    case Result::skipped:
      break;
  }
  return Style::strong;
}

Page exercise_page(const Course& course, const Progress& progress, const ExercisePage& what,
                   const Space& space) {
  const Rows rows(space);
  const Detail detail = detail_for(space.rows);
  const auto height = static_cast<std::size_t>(std::max(space.rows, 1));
  Page page;
  page.rows = rows_above(course, progress, what, rows, detail);
  auto below = rows_below(course, progress, what, rows, detail);
  const std::size_t taken = page.rows.size() + below.size();
  const auto lines = fold(printable(what.text, space.utf8), rows.columns());
  if (height > taken) add_text(page, lines, what, height - taken, rows);
  for (auto& row : below) page.rows.push_back(std::move(row));
  page.rows.resize(std::min(page.rows.size(), height));
  return page;
}

std::vector<Row> list_page(const Course& course, const Progress& progress, const Exercise& current,
                           std::size_t chosen, const Space& space) {
  const Rows rows(space);
  std::vector<Row> all;
  std::size_t place = 0, passed = 0, chosen_row = 0;
  for (const auto& chapter : course.chapters) {
    all.push_back(rows.edges(chapter.number_text() + "  " + chapter.title,
                             rows.bar(passed_in(chapter, progress), chapter.exercises.size()),
                             Style::strong));
    for (const auto& e : chapter.exercises) {
      passed += progress.passed(e);
      const std::string mark = progress.passed(e) ? "pass" : "    ";
      const Style style = place == chosen ? Style::chosen : Style::plain;
      if (place == chosen) chosen_row = all.size();
      all.push_back(rows.entry(
          (&e == &current ? " > " : "   ") + mark + "  " + e.id() + "  " + e.title, style));
      ++place;
    }
  }
  const auto height = static_cast<std::size_t>(std::max(space.rows, 3)) - 2;
  // The chosen one stays in the middle of the window, except at both ends of the list.
  const std::size_t last = all.size() > height ? all.size() - height : 0;
  const std::size_t first = std::min(chosen_row > height / 2 ? chosen_row - height / 2 : 0, last);
  std::vector<Row> page = {rows.row(
      std::to_string(passed) + " of " + std::to_string(place) + " exercises passed", Style::plain)};
  for (std::size_t i = first; i < std::min(all.size(), first + height); ++i) page.push_back(all[i]);
  page.resize(height + 1);
  page.push_back(rows.row("arrows  Enter goes there  l back  q quit", Style::key));
  return page;
}

bool scroll(int key, std::size_t& place, std::size_t last, std::size_t page) {
  const auto up = [&](std::size_t rows) { place -= std::min(place, rows); };
  const auto down = [&](std::size_t rows) { place = std::min(place + rows, last); };
  if (key == kUp || key == 'k')
    up(1);
  else if (key == kDown || key == 'j')
    down(1);
  else if (key == kPageUp)
    up(page);
  else if (key == kPageDown || key == ' ')
    down(page);
  else if (key == kHome)
    place = 0;
  else if (key == kEnd)
    place = last;
  else
    return false;
  return true;
}

std::vector<Row> keys_page(const Space& space) {
  const Rows rows(space);
  std::vector<Row> page = {rows.row("Keys", Style::strong), {}};
  for (const auto& help : kKeys) {
    const auto lines = fold(std::string("   ") + help.explanation, rows.columns());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0)
        page.push_back(rows.row(lines[i]));
      else
        page.push_back({{help.key, Style::key}, {lines[0].substr(1), Style::plain}});
    }
  }
  page.push_back(rows.row("Arrow and page keys scroll a long text."));
  page.push_back(rows.row("Any key goes back.", Style::key));
  // A window that is too low still shows the key that leads back.
  const auto height = static_cast<std::size_t>(std::max(space.rows, 1));
  if (page.size() > height)
    page.erase(page.begin() + static_cast<long>(height) - 1, page.end() - 1);
  return page;
}

}  // namespace course
