// Builds targets of the course with CMake, quietly, with one progress line.
// Used by `run`, `launch`, `check`, `watch` and `prove`'s users. The whole output is in
// build/<preset>/course.log.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "course.h"

namespace course {

/// The target that compiles the learner's file of an exercise.
std::string mine_target(const Exercise& e);

/// The target that compiles the solution, the stub and the answers of an exercise.
std::string proof_target(const Exercise& e);

/// The target that compiles the learner's file for gdb.
std::string debug_target(const Exercise& e);

/// The target that compiles the learner's kernel by nvcc alone; it does nothing without nvcc.
std::string nvcc_target(const Exercise& e);

/// How a caller follows a build and a check, and may end them.
struct Supervision {
  int stop = -1;  ///< Work ends when this descriptor becomes readable; -1: it cannot be ended.
  /// Gets "building [3/12]" as the build advances, and that it waits for another build. Without it
  /// the build shows its own line on the terminal.
  std::function<void(const std::string&)> on_progress;
};

/// Makes the next build read the learner's file even if it is older than the last build, as a
/// restored backup is. Ninja only compares modification times; the system also records the move.
void announce_older_file(const Course& course, const Exercise& e);

/// Builds the targets. @return empty when all are built, else the compiler's first errors.
std::string build(const Course& course, const std::vector<std::string>& targets,
                  const Supervision& supervision = {});

/// Builds a program of a chapter, and with `mine` the learner's exercises for it: one that does not
/// compile is left out, with a message. Takes the first of the words where it names one of
/// programs/; without a name, `mine` means the chapter's program that calls its exercises. @return
/// the program; empty when the build has failed.
/// @throws UsageError when the first word is neither an option nor a program.
fs::path build_program(const Course& course, const Chapter& chapter, bool mine,
                       std::vector<std::string>& words);

/// Builds `target` and becomes `program`, a path in the build folder, with `words`. Returns 1, with
/// the errors on stderr, when it could not be built.
int become_built(const Course& course, const std::string& target, const std::string& program,
                 std::vector<std::string> words);

}  // namespace course
