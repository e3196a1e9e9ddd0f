// The format: one fact per line, "05.scatter passed", "05.scatter skipped" or "05.scatter hints 2",
// sorted; # starts a remark. Two machines' files are merged by keeping the lines of both (git's
// union merge, .gitattributes), or by a person who leaves the conflict's marks in. Lines that are
// not facts are skipped, a fact may occur twice, and of two counts of hints the larger one is used.
#include "progress.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>
#include <vector>

namespace course {
namespace {

constexpr const char* kHeader =
    "# What ./course remembers, one fact per line. Delete a line to forget it.";

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// "05.scatter". A conflict's marks are not exercises.
bool is_id(const std::string& text) {
  const auto dot = text.find_first_not_of("0123456789");
  return dot != std::string::npos && dot >= 2 && text[dot] == '.' && dot + 1 < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(),
                     is_word_letter);
}

}  // namespace

Progress::Progress(const fs::path& root)
    : file_(root / ".course" / "progress.txt"), facts_(read(file_)) {}

Progress::Facts Progress::read(const fs::path& file) {
  Facts facts;
  if (!fs::exists(file)) return facts;
  std::istringstream in(read_file(file));
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line[0] == '#' && line != kHeader) facts.remarks.insert(line);
    std::istringstream words(line);
    std::string exercise, fact;
    int count = 0;
    words >> exercise >> fact;
    if (!is_id(exercise)) continue;
    if (fact == "passed") facts.passed.insert(exercise);
    if (fact == "skipped") facts.skipped.insert(exercise);
    if (fact == "hints" && words >> count && count > 0)
      facts.hints[exercise] = std::max(facts.hints[exercise], count);
  }
  return facts;
}

std::string Progress::written(const Facts& facts) {
  std::vector<std::string> lines;
  for (const auto& id : facts.passed) lines.push_back(id + " passed");
  for (const auto& id : facts.skipped)
    if (!facts.passed.count(id)) lines.push_back(id + " skipped");
  for (const auto& [id, count] : facts.hints)
    lines.push_back(id + " hints " + std::to_string(count));
  std::sort(lines.begin(), lines.end());
  lines.insert(lines.begin(), facts.remarks.begin(), facts.remarks.end());
  std::string text = std::string(kHeader) + "\n";
  for (const auto& line : lines) text += line + "\n";
  return text;
}

bool Progress::completed(const Chapter& chapter) const {
  return std::all_of(chapter.exercises.begin(), chapter.exercises.end(),
                     [this](const Exercise& e) { return e.optional || passed(e); });
}

void Progress::set_passed(const Exercise& e, bool passed) {
  changed_passes_[e.id()] = passed;
  new_skips_.erase(e.id());
  facts_.skipped.erase(e.id());
  if (passed)
    facts_.passed.insert(e.id());
  else
    facts_.passed.erase(e.id());
}

void Progress::set_skipped(const Exercise& e) {
  new_skips_.insert(e.id());
  facts_.skipped.insert(e.id());
}

int Progress::hints_seen(const Exercise& e) const {
  const auto found = facts_.hints.find(e.id());
  return found == facts_.hints.end() ? 0 : found->second;
}

void Progress::set_hints_seen(const Exercise& e, int count) {
  facts_.hints[e.id()] = std::max(hints_seen(e), count);
}

void Progress::save() {
  // `watch` runs for hours while `hint` is used elsewhere: each adds to the file's present content.
  Facts now = read(file_);
  for (const auto& [id, passed] : changed_passes_) {
    now.skipped.erase(id);
    if (passed)
      now.passed.insert(id);
    else
      now.passed.erase(id);
  }
  now.skipped.insert(new_skips_.begin(), new_skips_.end());
  for (const auto& [id, count] : facts_.hints) now.hints[id] = std::max(now.hints[id], count);
  write_file(file_, written(now));
  facts_ = std::move(now);
  changed_passes_.clear();
  new_skips_.clear();
}

Bar progress_bar(std::size_t passed, std::size_t all, std::size_t cells, bool utf8) {
  std::size_t full = all ? passed * cells / all : 0;
  if (passed > 0) full = std::max<std::size_t>(full, 1);
  Bar bar;
  for (std::size_t i = 0; i < cells; ++i)
    if (i < full)
      bar.filled += utf8 ? "█" : "#";
    else
      bar.rest += utf8 ? "░" : "-";
  return bar;
}

const Exercise* next_exercise(const Course& course, const Progress& progress,
                              const Exercise* passed) {
  std::vector<const Exercise*> all = course.select("");
  const auto distance = [&](const Exercise* e) {
    if (!passed) return 0;
    if (e == passed) return 3;
    if (e->chapter != passed->chapter) return 2;
    return e > passed ? 0 : 1;
  };
  const auto rank = [&](const Exercise* e) { return std::pair(e->optional, distance(e)); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  const auto next =
      std::find_if(all.begin(), all.end(), [&](const auto* e) { return !progress.passed(*e); });
  return next == all.end() ? nullptr : *next;
}

const Exercise& chosen_exercise(const Course& course, const Progress& progress,
                                const std::string& text) {
  if (!text.empty()) return course.exercise(text);
  if (const auto* next = next_exercise(course, progress)) return *next;
  throw UsageError(
      "All exercises are passed. Name one to go back to it: ./course list shows them.");
}

}  // namespace course
