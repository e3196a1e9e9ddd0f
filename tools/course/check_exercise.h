// Compiles a learner's file, checks it and saves what passed: the part that `check` and `watch`
// share, with the texts that both print. Invariant: a check that was stopped leaves the progress
// unchanged.
#pragma once

#include <string>

#include "builder.h"
#include "course.h"
#include "judge.h"
#include "progress.h"

namespace course {

/// The result of a check.
struct Checked {
  Verdict verdict;
  bool stopped = false;            ///< Ended by Supervision::stop; the verdict is not valid.
  bool completes_chapter = false;  ///< It passes, as the last one of its chapter.
};

/// Checks the learner's file of `e` and saves the progress. A file that is missing or does not
/// compile is a verdict like any other. @throws std::runtime_error when progress cannot be saved.
Checked check_exercise(const Course& course, const Exercise& e,
                       const Supervision& supervision = {});

/// nvcc's warnings for a kernel that passed on sim. Empty for host code, for a kernel that nvcc
/// compiles, and where there is no nvcc (cmake/Chapters.cmake). The verdict does not depend on it.
std::string nvcc_warning(const Course& course, const Exercise& e,
                         const Supervision& supervision = {});

/// "pass  05.scatter  Split a batch", and below it what the checker said unless it passes.
std::string verdict_text(const Exercise& e, const Verdict& verdict);

/// What the checker skipped, one line each with the exercise's name; also when the rest passed.
std::string unchecked_lines(const Exercise& e, const std::string& text);

/// What a learner has built in a chapter, the planned time, and what comes next.
std::string chapter_summary(const Course& course, const Chapter& chapter);

}  // namespace course
