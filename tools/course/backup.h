// The learner's earlier texts, in `.course/backup/<id>.<time><suffix>`. Used by `reset`, and by all
// code that puts another text into a learner's file. Invariant: a text is never overwritten, here
// or in chapters/, before a copy of it is on the disk.
#pragma once

#include <vector>

#include "course.h"

namespace course {

/// The result of a change of a learner's file. Paths are relative to the course's folder.
struct Replaced {
  bool changed = false;  ///< False when the file had that text already.
  fs::path file;
  fs::path backup;  ///< Empty when there was no text to keep.
};

/// Restores the stub of an exercise, cut from its solution, and saves the learner's text.
/// @throws std::runtime_error naming the file that cannot be read or written.
Replaced reset_to_stub(const Course& course, const Exercise& e);

/// Whether the learner's file has the text that reset_to_stub() would give it.
bool is_stub(const Course& course, const Exercise& e);

/// Restores a saved text, and saves the present one.
/// @param backup as `backups()` returns it, or a path. @throws UsageError when it is not a backup.
Replaced restore(const Course& course, const fs::path& backup);

/// All saved texts of an exercise, oldest first, relative to the course's folder.
std::vector<fs::path> backups(const Course& course, const Exercise& e);

}  // namespace course
