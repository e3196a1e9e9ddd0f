// What the learner has passed and how many hints they have seen: `.course/progress.txt`, plain
// text. Invariant: a damaged line costs that line alone; nothing else in the course depends on the
// file.
#pragma once

#include <map>
#include <set>
#include <string>

#include "course.h"

namespace course {

/// The progress file in memory.
class Progress {
 public:
  /// Reads `root`/.course/progress.txt; a missing file is an empty progress.
  explicit Progress(const fs::path& root);

  bool passed(const Exercise& e) const { return passed_.count(e.id()) > 0; }
  void set_passed(const Exercise& e, bool passed);
  int hints_seen(const Exercise& e) const;
  void set_hints_seen(const Exercise& e, int count) { hints_[e.id()] = count; }

  /// Writes the file. @throws std::runtime_error naming it when that cannot be done.
  void save() const;

 private:
  fs::path file_;
  std::set<std::string> passed_;
  std::map<std::string, int> hints_;
};

/// Returns the first exercise that is not passed; null when all are. After `passed`, exercises of
/// its chapter come first: those that follow it, then those before it.
const Exercise* next_exercise(const Course& course, const Progress& progress,
                              const Exercise* passed = nullptr);

/// The exercise that `text` names, or the next one where the text is empty.
/// @throws UsageError when all are passed and none was named.
const Exercise& chosen_exercise(const Course& course, const Progress& progress,
                                const std::string& text);

}  // namespace course
