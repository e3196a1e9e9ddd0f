// `./course solution`: shows the solution, after a pass or when asked for with --anyway.
#include <iostream>

#include "command.h"
#include "progress.h"

namespace course {
namespace {

int solution(const Course& course, const std::string& what, bool anyway) {
  const Progress progress(course.root);
  const Exercise& e = course.exercise(what);
  if (!progress.passed(e) && !anyway) {
    std::cerr << e.id() << " is not passed yet. ./course hint " << e.id()
              << " gives a hint; ./course solution " << e.id() << " --anyway shows the solution.\n";
    return 1;
  }
  std::cout << read_file(course.solution(e));
  return 0;
}

class Solution : public Command {
 public:
  const char* name() const override { return "solution"; }
  const char* help() const override { return "show the solution of an exercise you passed"; }
  const char* example() const override { return "./course solution 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", what_, "5.scatter");
    syntax.flag("--anyway", anyway_, "show it although the exercise is not passed");
  }
  int work(const Session& session) override {
    if (what_.empty()) throw UsageError("Which exercise? ./course solution 5.scatter");
    return solution(session.course(), what_, anyway_);
  }

 private:
  std::string what_;
  bool anyway_ = false;
};

}  // namespace

std::unique_ptr<Command> make_solution() { return std::make_unique<Solution>(); }

}  // namespace course
