// `./course run N`: builds a chapter's program and becomes it, so that Ctrl-C, the terminal and the
// exit code are the program's own.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "builder.h"
#include "commands.h"
#include "process.h"

namespace course {
namespace {

struct Choice {
  std::string chapter;
  bool mine = false;
};

/// The learner's files as libraries. One that does not compile is left out: the program then uses
/// the course's own, and says so.
void build_mine(const Course& course, const Chapter& chapter) {
  for (const auto& e : chapter.exercises) {
    std::error_code ignored;
    if (build(course, {mine_target(e)}).empty()) continue;
    fs::remove(course.variant("mine") / e.library(), ignored);
    std::cerr << e.id() << " does not compile (./course check " << e.id()
              << " shows why); the course's own is used in its place.\n";
  }
}

const Chapter& chosen_chapter(const Course& course, const std::string& text) {
  if (text.empty())
    throw UsageError("Which chapter? ./course run 4, and ./course run 4 --help for its options.");
  if (text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError("\"" + text + "\" is not the number of a chapter: ./course run 4");
  return course.chapter(std::stoi(text));
}

int run_chapter(const Course& course, const Choice& choice, std::vector<std::string> arguments) {
  const Chapter& chapter = chosen_chapter(course, choice.chapter);
  const std::string errors = build(course, {chapter.program()});
  if (!errors.empty()) {
    std::cerr << errors << chapter.program() << " could not be built; the whole output is in "
              << (course.build / "course.log").string() << '\n';
    return 1;
  }
  if (choice.mine) {
    build_mine(course, chapter);
    arguments.insert(arguments.begin(), "--mine");
  }
  arguments.insert(arguments.begin(), course.binary(chapter.program()).string());
  std::cout << std::flush;
  become(arguments);
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand(
      "run", "run a chapter's program; what follows goes to it: ./course run 4 --device sim");
  auto choice = std::make_shared<Choice>();
  command->set_help_flag();  // --help after the number is the program's
  command->add_option("chapter", choice->chapter, "the chapter's number");
  command->add_flag("--mine", choice->mine, "with your exercises in place of the course's own");
  command->prefix_command();
  command->callback([command, choice, &session] {
    session.work = [command, choice, &session] {
      auto arguments = command->remaining();
      // After the first word that is not ours, CLI11 leaves --mine to the program.
      const auto mine = std::find(arguments.begin(), arguments.end(), "--mine");
      if (mine != arguments.end()) {
        choice->mine = true;
        arguments.erase(mine);
      }
      return run_chapter(session.course(), *choice, arguments);
    };
  });
}

}  // namespace course
