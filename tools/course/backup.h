// The learner's earlier texts, in `.course/backup/<id>.<time><suffix>`. Used by `reset`, and by
// whatever else puts another text into a learner's file. Invariant: a text is never overwritten,
// here or in chapters/, before a copy of it is on the disk.
#pragma once

#include <vector>

#include "course.h"

namespace course {

/// What a change did to a learner's file. Paths are relative to the course's folder.
struct Replaced {
  bool changed = false;  ///< False when the file had that text already.
  fs::path file;
  fs::path backup;  ///< Empty when there was no text to keep.
};

/// Brings the stub of an exercise back, cut from its solution, and keeps the learner's text.
/// @throws std::runtime_error naming the file that cannot be read or written.
Replaced reset_to_stub(const Course& course, const Exercise& e);

/// Brings a kept text back, and keeps the one that is there now.
/// @param backup as `backups()` returns it, or a path. @throws UsageError when it is no backup.
Replaced restore(const Course& course, const fs::path& backup);

/// All kept texts of an exercise, oldest first, relative to the course's folder.
std::vector<fs::path> backups(const Course& course, const Exercise& e);

}  // namespace course
