// Runs course-tool as a learner would, on a fresh copy of the fixture course. Used by *_test.cpp
// here.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "build_lock.h"
#include "catch.h"
#include "course.h"
#include "process.h"
#include "terminal.h"

namespace course {

/// A learner's copy of the fixture course, as cloned, and the tool in it.
class Learner {
 public:
  Learner() : root_(COURSE_LEARNER) {
    fs::remove_all(root_);
    fs::copy(COURSE_FIXTURE, root_, fs::copy_options::recursive);
  }
  const fs::path& root() const { return root_; }
  fs::path file(const std::string& name) const {
    return root_ / "chapters" / "91_warm_up" / "exercises" / (name + ".cpp");
  }
  /// The text becomes the learner's file.
  void writes(const std::string& name, const std::string& text) const {
    write_file(file(name), text);
  }
  /// The solution becomes the learner's file.
  void solves(const std::string& name) const {
    writes(name, read_file(root_ / "solutions" / "91_warm_up" / (name + ".cpp")));
  }
  /// ./course with these arguments. Other tests build in the same directory at the same time, so
  /// the line that says so is left out.
  Outcome types(std::vector<std::string> words,
                std::vector<std::pair<std::string, std::string>> environment = {}) const {
    std::vector<std::string> all = {COURSE_TOOL, "--root", root_.string(), "--build", COURSE_BUILD};
    all.insert(all.end(), words.begin(), words.end());
    Outcome outcome = run({all, environment, std::chrono::seconds(300), {}});
    const std::string waits = std::string(kWaitingForBuild) + '\n';
    const std::size_t at = outcome.output.find(waits);
    if (at != std::string::npos) outcome.output.erase(at, waits.size());
    return outcome;
  }

 private:
  fs::path root_;
};

/// Whether the program printed this.
inline bool says(const Outcome& outcome, const std::string& text) {
  return outcome.output.find(text) != std::string::npos;
}

/// Columns of the longest line.
inline std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns(line));
  return most;
}

}  // namespace course

/// Fails with all the text that the program printed.
#define CHECK_SAYS(outcome, text)           \
  do {                                      \
    const course::Outcome said = (outcome); \
    INFO("it printed:\n" << said.output);   \
    CHECK(course::says(said, text));        \
  } while (false)
