// Only this file turns exit codes of the checker into result words.
#include "judge.h"

#include <cstdlib>

namespace course {

const char* word(Result result) {
  switch (result) {
    case Result::pass:
      return "pass";
    case Result::fail:
      return "fail";
    case Result::not_done_yet:
      return "not done yet";
    case Result::skipped:
      return "skipped";
  }
  return "?";
}

int time_limit_seconds() {
  const char* text = std::getenv("TD_CHECK_TIME_LIMIT");
  const int seconds = text ? std::atoi(text) : 0;
  return seconds > 0 ? seconds : 10;
}

Verdict judge(const Course& course, const Exercise& exercise, const fs::path& variant, bool proving,
              int stop) {
  const auto library = variant / exercise.library();
  if (!fs::exists(library)) return {Result::fail, library.string() + " is not built.\n", false};
  Program program;
  program.words = {course.binary(course.chapter(exercise.chapter).checker()).string(),
                   "[" + exercise.name + "]"};
  if (proving) program.words.push_back("--prove");
  // The checker names the library without a path, so the first folder that has it wins.
  program.environment = {{"LD_LIBRARY_PATH", library_path(variant.string())}};
  // At least two devices of a kind: a mix-up of devices is only visible if there are several.
  if (!std::getenv("TD_SIM_DEVICES")) program.environment.emplace_back("TD_SIM_DEVICES", "2");
  program.limit = std::chrono::seconds(time_limit_seconds());
  program.stop = stop;
  Outcome outcome = run(program);

  Verdict verdict{Result::fail, std::move(outcome.output), false};
  if (outcome.timed_out) {
    verdict.text += "  did not finish within " + std::to_string(time_limit_seconds()) + " s\n";
  } else if (outcome.signal) {
    verdict.text += "  the program crashed: " + signal_name(outcome.signal) + "\n";
  } else if (outcome.exit_code == 0) {
    verdict.result = Result::pass;
  } else if (outcome.exit_code == 3) {
    verdict.result = Result::not_done_yet;
  } else if (outcome.exit_code == 4) {
    verdict.result = Result::skipped;
  } else {
    verdict.rejected = outcome.exit_code == 1 || outcome.exit_code == 70;
    if (!verdict.rejected)
      verdict.text += "  ended with exit code " + std::to_string(outcome.exit_code) + "\n";
  }
  return verdict;
}

}  // namespace course
