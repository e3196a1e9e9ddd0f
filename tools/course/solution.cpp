// `./course solution`: shows the solution, after a pass or when asked for with --anyway.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "progress.h"

namespace course {
namespace {

struct Choice {
  std::string what;
  bool anyway = false;
};

int solution(const Course& course, const Choice& choice) {
  const Progress progress(course.root);
  const Exercise& e = course.exercise(choice.what);
  if (!progress.passed(e) && !choice.anyway) {
    std::cerr << e.id() << " is not passed yet. ./course hint " << e.id()
              << " gives a hint; ./course solution " << e.id() << " --anyway shows the solution.\n";
    return 1;
  }
  std::cout << read_file(course.solution(e));
  return 0;
}

}  // namespace

void add_solution(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("solution", "show the solution of an exercise you passed");
  auto choice = std::make_shared<Choice>();
  command->add_option("exercise", choice->what, "5.scatter")->required();
  command->add_flag("--anyway", choice->anyway, "show it although the exercise is not passed");
  command->callback([choice, &session] {
    session.work = [choice, &session] { return solution(session.course(), *choice); };
  });
}

}  // namespace course
