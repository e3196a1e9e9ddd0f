// `course-tool cut`: stubs from solutions, for authors and for the build. Learners use `reset`.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "commands.h"
#include "cutter.h"
#include "process.h"

namespace course {
namespace {

struct Choice {
  std::string solution;
  std::string output;
  bool write = false;
  bool check = false;
};

std::string cut_file(const fs::path& solution) {
  return cut(read_file(solution), solution.stem().string());
}

/// Leaves a file that is right alone: its time stamp would rebuild what depends on it.
bool write_if_different(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read_file(path) == text) return false;
  write_file(path, text);
  return true;
}

int write_all(const Course& course) {
  int written = 0;
  for (const auto* e : course.select(""))
    if (write_if_different(course.stub(*e), cut_file(course.solution(*e)))) {
      std::cout << "wrote " << course.stub(*e).string() << '\n';
      ++written;
    }
  std::cout << written << " stubs written\n";
  return 0;
}

/// Compares what git holds with the cut. The index, not the work tree: a learner's edited file must
/// not turn a test red.
int check_all(const Course& course) {
  if (!std::getenv("CI")) {
    std::cout << "skipped: stubs are compared with the cut where CI=1 is set\n";
    return 77;
  }
  int passed = 0, failed = 0;
  for (const auto* e : course.select("")) {
    const std::string path = "chapters/" + e->folder + "/" + e->name + ".cpp";
    const Outcome held =
        run({{"git", "-C", course.root.string(), "show", ":./" + path}, {}, {}, {}});
    const bool same = held.exit_code == 0 && held.output == cut_file(course.solution(*e));
    (same ? passed : failed)++;
    if (!same)
      std::cout << "fail  " << path
                << " is not what is cut from its solution; course-tool cut --write, then commit\n";
  }
  std::cout << passed << " passed, " << failed << " failed, 0 skipped\n";
  return failed || passed == 0 ? 1 : 0;
}

}  // namespace

void add_cut(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("cut", "authors: cut stubs out of solutions");
  auto choice = std::make_shared<Choice>();
  command->add_option("solution", choice->solution, "print the stub of this solution");
  command->add_option("-o,--output", choice->output, "write it to this file instead");
  command->add_flag("--write", choice->write, "write all stubs into chapters/");
  command->add_flag("--check", choice->check, "compare the stubs that git holds with the cut");
  command->callback([choice, &session] {
    session.work = [choice, &session] {
      if (choice->write) return write_all(session.course());
      if (choice->check) return check_all(session.course());
      if (choice->solution.empty())
        throw UsageError("Name a solution, or write course-tool cut --write.");
      const std::string stub = cut_file(choice->solution);
      if (choice->output.empty())
        std::cout << stub;
      else
        write_if_different(choice->output, stub);
      return 0;
    };
  });
}

}  // namespace course
