// Runs a chapter's checker on one variant of one exercise and returns the result in the course's
// words. Used by check_exercise.cpp (the learner's variant) and `prove` (solution, stub, wrong
// answers).
#pragma once

#include <string>

#include "course.h"
#include "process.h"

namespace course {

/// The words of the course. A skip is never a pass.
enum class Result { pass, fail, not_done_yet, skipped };

/// "pass", "fail", "not done yet", "skipped".
const char* word(Result result);

/// What a checker reported about one variant.
struct Verdict {
  Result result = Result::fail;
  std::string text;       ///< What the checker printed, plus how it ended when that was abnormal.
  bool rejected = false;  ///< The checker itself rejected the answer: exit code 1 or 70.
  int tests = 0;          ///< How many tests began.
};

/// The first 40 and the last 10 lines of a longer text, none longer than 1000 characters: a loop
/// that prints does not flood the screen.
std::string shortened(const std::string& text);

/// Seconds one check may take: TD_CHECK_TIME_LIMIT, or 10, and more on a machine whose cores are
/// wanted by other work, too. Sanitizer builds set more.
int time_limit_seconds();

/// The checker of `exercise` with the library in `variant` (a folder).
/// @param option of the checker (tests/support/checker_main.cpp), such as "--prove"; may be empty.
Program checker_program(const Course& course, const Exercise& exercise, const fs::path& variant,
                        const std::string& option);

/// Checks `exercise` with the library in `variant` (a folder) in a separate process.
/// @param stop ends the check when this descriptor becomes readable; the verdict is then not valid.
Verdict judge(const Course& course, const Exercise& exercise, const fs::path& variant,
              const std::string& option = "", int stop = -1);

}  // namespace course
