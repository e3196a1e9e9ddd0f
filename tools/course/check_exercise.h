// Compiles a learner's file, judges it and remembers what passed: the part that `check` and `watch`
// share, with the texts that both print. Invariant: a check that was stopped changes nothing that
// was known.
#pragma once

#include <string>

#include "builder.h"
#include "course.h"
#include "judge.h"
#include "progress.h"

namespace course {

/// What a check found out.
struct Checked {
  Verdict verdict;
  bool stopped = false;            ///< Ended by Supervision::stop; the verdict means nothing.
  bool completes_chapter = false;  ///< It passes now, as the last exercise of its chapter.
};

/// Checks the learner's file of `e` and saves the progress. A file that is missing or does not
/// compile is a verdict like any other. @throws std::runtime_error when progress cannot be saved.
Checked check_exercise(const Course& course, const Exercise& e,
                       const Supervision& supervision = {});

/// What nvcc finds in a kernel that passed on sim. Empty for host code, for a kernel that nvcc
/// compiles, and where there is no nvcc (cmake/Chapters.cmake). The verdict does not depend on it.
std::string nvcc_warning(const Course& course, const Exercise& e,
                         const Supervision& supervision = {});

/// "pass  05.scatter  Split a batch", and below it what the checker said unless it passes.
std::string verdict_text(const Exercise& e, const Verdict& verdict);

/// What the checker skipped, a line each that names the exercise; also when the rest passed.
std::string unchecked_lines(const Exercise& e, const std::string& text);

/// What a learner has built in a chapter, how long it was planned for, and what comes next.
std::string chapter_summary(const Course& course, const Chapter& chapter);

}  // namespace course
