// Builds targets of the course by way of CMake, quietly, with one moving line of progress.
// Used by `run`, `check` and `prove`'s users. The whole output lies in build/<preset>/course.log.
#pragma once

#include <string>
#include <vector>

#include "course.h"

namespace course {

/// The target that compiles the learner's file of an exercise.
std::string mine_target(const Exercise& e);

/// Builds the targets. @return empty when all are built, else the compiler's first errors.
std::string build(const Course& course, const std::vector<std::string>& targets);

}  // namespace course
