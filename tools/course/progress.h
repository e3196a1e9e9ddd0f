// What the learner has passed, what this machine skipped, and how many hints they have seen:
// `.course/progress.txt`, plain text that can be committed and merged. Invariant: a damaged line
// only loses that line; nothing else in the course depends on the file.
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

  bool passed(const Exercise& e) const { return facts_.passed.count(e.id()) > 0; }
  /// Whether all exercises of the chapter are passed, except for optional ones.
  bool completed(const Chapter& chapter) const;
  /// A pass also removes a skip.
  void set_passed(const Exercise& e, bool passed);
  /// Whether this machine could not check the exercise the last time; false once it has passed.
  bool skipped(const Exercise& e) const { return !passed(e) && facts_.skipped.count(e.id()) > 0; }
  void set_skipped(const Exercise& e);
  int hints_seen(const Exercise& e) const;
  /// Stores that `count` hints were seen; a smaller number than before has no effect.
  void set_hints_seen(const Exercise& e, int count);

  /// Writes what has changed since it was read. Facts that another process wrote meanwhile stay.
  /// @throws std::runtime_error naming the file when that cannot be done.
  void save();

 private:
  /// All facts of a file, by the exercises' ids.
  struct Facts {
    std::set<std::string> passed, skipped, remarks;
    std::map<std::string, int> hints;
  };
  static Facts read(const fs::path& file);
  static std::string written(const Facts& facts);

  fs::path file_;
  Facts facts_;
  std::map<std::string, bool> changed_passes_;
  std::set<std::string> new_skips_;
};

/// A bar of `cells` columns for `passed` of `all` exercises.
struct Bar {
  std::string filled, rest;
};
/// @param utf8 false: in ASCII. The first pass is visible for any number of exercises.
Bar progress_bar(std::size_t passed, std::size_t all, std::size_t cells, bool utf8);

/// Returns the first exercise that is not passed; null when all are. Optional exercises come after
/// all others. After `passed`, exercises of its chapter come first: those that follow it, then
/// those before it; and it comes last itself.
const Exercise* next_exercise(const Course& course, const Progress& progress,
                              const Exercise* passed = nullptr);

/// The exercise that `text` names, or the next one if the text is empty.
/// @throws UsageError when all are passed and none was named.
const Exercise& chosen_exercise(const Course& course, const Progress& progress,
                                const std::string& text);

}  // namespace course
