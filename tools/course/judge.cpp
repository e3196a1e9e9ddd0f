// Only this file turns exit codes of the checker into result words.
#include "judge.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

namespace course {
namespace {

/// What tests/support/checker_main.cpp prints before the name of each test case, and alone at the
/// end.
const std::string kMark = "\x01test:";

/// Where the checker was when it ended.
struct Place {
  bool all_tests_ended = false;
  int tests = 0;     ///< How many began.
  std::string test;  ///< The last one of them.

  std::string in_words() const { return test.empty() ? "" : ", in the test \"" + test + "\""; }
};

/// Takes the marks out of the checker's output.
Place take_marks(std::string& text) {
  Place place;
  std::string rest;
  std::size_t begin = 0;
  for (auto at = text.find(kMark); at != std::string::npos; at = text.find(kMark, begin)) {
    rest.append(text, begin, at - begin);
    const auto end = std::min(text.find('\n', at), text.size());
    place.test = text.substr(at + kMark.size(), end - at - kMark.size());
    place.all_tests_ended = place.test.empty();
    if (!place.all_tests_ended) ++place.tests;
    begin = std::min(end + 1, text.size());
  }
  text = rest + text.substr(begin);
  return place;
}

}  // namespace

std::string shortened(const std::string& text) {
  constexpr std::size_t kFirst = 40, kLast = 10, kColumns = 1000;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, std::min(end - at, kColumns)));
    at = end + 1;
  }
  std::string kept;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == kFirst && lines.size() > kFirst + kLast) {
      i = lines.size() - kLast;
      kept += "  ... " + std::to_string(i - kFirst) + " lines are left out here\n";
    }
    kept += lines[i] + "\n";
  }
  return kept;
}

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
  if (seconds > 0) return seconds;
  double busy = 0;  // threads that wanted a core during the last minute
  if (getloadavg(&busy, 1) != 1) busy = 0;
  return static_cast<int>(
      10 * std::clamp(busy / std::max(1U, std::thread::hardware_concurrency()), 1.0, 6.0));
}

Program checker_program(const Course& course, const Exercise& exercise, const fs::path& variant,
                        const std::string& option) {
  Program program;
  program.words = {course.binary(course.chapter(exercise.chapter).checker()).string(),
                   "[" + exercise.name + "]"};
  if (!option.empty()) program.words.push_back(option);
  // The checker names the library without a path, so the first folder that has it wins.
  program.environment = {{"LD_LIBRARY_PATH", library_path(variant.string())}};
  // At least two devices of a kind: a mix-up of devices is only visible if there are several.
  if (!std::getenv("TD_SIM_DEVICES")) program.environment.emplace_back("TD_SIM_DEVICES", "2");
  return program;
}

Verdict judge(const Course& course, const Exercise& exercise, const fs::path& variant,
              const std::string& option, int stop) {
  const auto library = variant / exercise.library();
  if (!fs::exists(library)) return {Result::fail, library.string() + " is not built.\n"};
  Program program = checker_program(course, exercise, variant, option);
  program.environment.emplace_back("TD_CHECK_MARKS", "1");
  const int limit = time_limit_seconds();
  program.limit = std::chrono::seconds(limit);
  program.stop = stop;
  Outcome outcome = run(program);

  Verdict verdict{Result::fail, std::move(outcome.output)};
  const Place place = take_marks(verdict.text);
  verdict.tests = place.tests;
  if (!verdict.text.empty() && verdict.text.back() != '\n') verdict.text += '\n';
  const int code = outcome.exit_code;
  // A call of exit(1) in the exercise says nothing, a sanitizer's report ends with the same code.
  const bool concluded = code == 0 || code == 3 || code == 4 || (code == 1 && verdict.text.empty());
  if (outcome.timed_out) {
    verdict.text += "  did not finish within " + std::to_string(limit) + " s" + place.in_words() +
                    "; is there an endless loop, or a thread that waits forever?\n";
  } else if (outcome.signal) {
    verdict.text +=
        "  the program crashed: " + signal_name(outcome.signal) + place.in_words() +
        (outcome.signal == SIGSEGV
             ? "; is an index out of bounds, is an object used after its end, or does a "
               "function call itself forever?\n"
             : "\n");
  } else if (concluded && !place.all_tests_ended) {
    verdict.text += "  the program ended before its tests did" + place.in_words() +
                    "; remove the call of exit\n";
  } else if (code == 0) {
    verdict.result = Result::pass;
  } else if (code == 3) {
    verdict.result = Result::not_done_yet;
  } else if (code == 4) {
    verdict.result = Result::skipped;
  } else {
    verdict.rejected = code == 1 || code == 70;
    if (!verdict.rejected) verdict.text += "  ended with exit code " + std::to_string(code) + "\n";
  }
  return verdict;
}

}  // namespace course
