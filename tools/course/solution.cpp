// `./course solution`: how your file and the solution differ, or the solution itself, after a pass
// or with --anyway.
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "command.h"
#include "cutter.h"
#include "process.h"
#include "progress.h"
#include "terminal.h"

namespace course {
namespace {

struct WantedSolution {
  std::string exercise;
  bool anyway = false, full = false;
};

/// The difference as `diff -u` prints it; empty if there is none.
/// @throws std::runtime_error when diff cannot be started or fails.
std::string difference(const Course& course, const Exercise& e, const std::string& solution) {
  // diff reads files, but the solution without its marks is not in a file.
  const fs::path plain =
      course.build / "solution" / (e.id() + course.solution(e).extension().string());
  write_file(plain, solution);
  const bool color = terminal_of(STDOUT_FILENO).color;
  const Outcome diff = run({{"diff", "-u", color ? "--color=always" : "--color=never",
                             "--label=" + course.shown(course.stub(e)) + " (yours)",
                             "--label=" + course.shown(course.solution(e)) + " (the solution)",
                             course.stub(e).string(), plain.string()},
                            {},
                            {},
                            {}});
  if (diff.exit_code > 1 || diff.signal != 0)
    throw std::runtime_error(diff.output + "diff failed; ./course solution " + e.id() +
                             " --full prints the solution.");
  return diff.exit_code == 0 ? "" : diff.output;
}

int show(const Course& course, const WantedSolution& wanted) {
  const Progress progress(course.root);
  const Exercise& e = course.exercise(wanted.exercise);
  if (!progress.passed(e) && !wanted.anyway) {
    std::cerr << e.id() << " is not passed yet. ";
    if (std::getenv("COURSE_KEYS"))  // watch has keys
      std::cerr << "h gives a hint; after the last one, s shows the solution.\n";
    else
      std::cerr << "./course hint " << e.id() << " gives a hint; ./course solution " << e.id()
                << " --anyway shows the solution.\n";
    return 1;
  }
  const std::string solution = read_file(course.solution(e));
  if (wanted.full || !fs::exists(course.stub(e))) {
    std::cout << without_marks(solution, "");
    return 0;
  }
  const std::string found =
      difference(course, e, without_marks(solution, read_file(course.stub(e))));
  if (found.empty())
    std::cout << course.shown(course.stub(e)) << " is the solution, letter for letter.\n";
  else
    std::cout << found
              << wrap("- is yours, + is the solution. ./course solution " + e.id() +
                          (wanted.anyway ? " --anyway" : "") + " --full prints it alone.",
                      terminal_of(STDOUT_FILENO).width)
              << '\n';
  return 0;
}

class Solution : public Command {
 public:
  const char* name() const override { return "solution"; }
  const char* help() const override {
    return "how your file and the solution differ, once you have passed";
  }
  const char* example() const override { return "./course solution 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", wanted_.exercise, "5.scatter");
    syntax.flag("--full", wanted_.full, "the solution itself instead of the difference");
    syntax.flag("--anyway", wanted_.anyway, "show it although the exercise is not passed");
  }
  int work(const Session& session) override {
    if (wanted_.exercise.empty()) throw UsageError("Which exercise? ./course solution 5.scatter");
    return show(session.course(), wanted_);
  }

 private:
  WantedSolution wanted_;
};

}  // namespace

std::unique_ptr<Command> make_solution() { return std::make_unique<Solution>(); }

}  // namespace course
