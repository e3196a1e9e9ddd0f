// The format: one fact a line, "05.scatter passed" or "05.scatter hints 2"; # starts a comment.
#include "progress.h"

#include <algorithm>
#include <sstream>

namespace course {

Progress::Progress(const fs::path& root) : file_(root / ".course" / "progress.txt") {
  if (!fs::exists(file_)) return;
  std::istringstream in(read_file(file_));
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string exercise, fact;
    int count = 0;
    words >> exercise >> fact;
    // What is not understood is skipped: people edit this file.
    if (fact == "passed") passed_.insert(exercise);
    if (fact == "hints" && words >> count) hints_[exercise] = count;
  }
}

void Progress::set_passed(const Exercise& e, bool passed) {
  if (passed)
    passed_.insert(e.id());
  else
    passed_.erase(e.id());
}

int Progress::hints_seen(const Exercise& e) const {
  const auto found = hints_.find(e.id());
  return found == hints_.end() ? 0 : found->second;
}

void Progress::save() const {
  std::ostringstream out;
  out << "# What ./course remembers. Delete a line to forget it.\n";
  for (const auto& id : passed_) out << id << " passed\n";
  for (const auto& [id, count] : hints_) out << id << " hints " << count << '\n';
  write_file(file_, out.str());
}

const Exercise* next_exercise(const Course& course, const Progress& progress,
                              const Exercise* passed) {
  std::vector<const Exercise*> all = course.select("");
  if (passed) {
    const auto rank = [&](const Exercise* e) {
      if (e->chapter != passed->chapter) return 2;
      return e > passed ? 0 : 1;
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  }
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
