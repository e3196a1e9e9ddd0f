// Builds targets of the course by way of CMake, quietly, with one moving line of progress.
// Used by `run`, `launch`, `check`, `watch` and `prove`'s users. The whole output lies in
// build/<preset>/course.log.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "course.h"

namespace course {

/// The target that compiles the learner's file of an exercise.
std::string mine_target(const Exercise& e);

/// The target that compiles the learner's kernel by nvcc alone; it does nothing without nvcc.
std::string nvcc_target(const Exercise& e);

/// Who looks on while something is built and checked, and may end it.
struct Supervision {
  int stop = -1;  ///< Work ends when this descriptor becomes readable; -1: it cannot be ended.
  /// Gets "3/12" as the build advances. Without it the build shows its own line on the terminal.
  std::function<void(const std::string&)> on_progress;
};

/// Makes the next build read the learner's file even if it is older than what was built last: a
/// backup that came back. Ninja compares times of writing alone; the system notes the move too.
void announce_older_file(const Course& course, const Exercise& e);

/// Builds the targets. @return empty when all are built, else the compiler's first errors.
std::string build(const Course& course, const std::vector<std::string>& targets,
                  const Supervision& supervision = {});

/// Builds a chapter's program, and with `mine` the learner's exercises for it: one that does not
/// compile is left out, and said. @return the program; empty when it could not be built, and said.
fs::path build_program(const Course& course, const Chapter& chapter, bool mine);

/// Builds `target` and becomes `program`, a path in the build folder, with `words`. Returns 1, with
/// the errors on stderr, when it could not be built.
int become_built(const Course& course, const std::string& target, const std::string& program,
                 std::vector<std::string> words);

/// The chapter whose number this is; `example` is how to type it. @throws UsageError
const Chapter& chapter_by_number(const Course& course, const std::string& text,
                                 const std::string& example);

}  // namespace course
