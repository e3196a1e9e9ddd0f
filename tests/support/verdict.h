// What a check found besides Catch2's own counts. Written by check.h's functions and the course
// reporter, read by checker_main.cpp. One process is one check, so this is plain global state.
#pragma once

#include <string>
#include <vector>

namespace check {

/// The state of the running check.
struct Verdict {
  int passed_cases = 0;
  int failed_cases = 0;
  std::vector<std::string> skips;  ///< Why parts could not be checked on this machine.
  bool skipping = false;           ///< A skip is being thrown through Catch2.
  bool stopping = false;           ///< The check ends after the first test that does not pass.
};

Verdict& verdict();

/// Runs the test cases that carry the tag, `[scatter]`, and fills the verdict.
void run_tests(const std::string& tag);

/// Tells course-tool which test case begins; an empty name after the last one. Prints nothing
/// where TD_CHECK_MARKS is not set, as when a person runs the checker.
void mark(const std::string& test_case);

/// Exit codes of a checker; course-tool turns them into text.
enum ExitCode { kPass = 0, kFail = 1, kUsage = 2, kNotDoneYet = 3, kSkipped = 4 };

/// Asks the devices whether they still work. Set by the device support where the checker has it.
struct Probe {
  std::string (*try_devices)() = nullptr;  ///< Names of the devices tried; throws when one fails.
};
Probe& probe();

}  // namespace check
