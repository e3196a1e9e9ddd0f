// `course-tool cut`: stubs from solutions, for authors and for the build. Learners use `reset`.
#include <cstdlib>
#include <iostream>

#include "command.h"
#include "cutter.h"
#include "process.h"

namespace course {
namespace {

std::string cut_file(const fs::path& solution) {
  return cut(read_file(solution), solution.stem().string());
}

/// Does not write a correct file: a new time stamp would rebuild everything that depends on it.
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

/// Compares git's files with the cut. It reads the index, not the work tree, because a learner's
/// edited file must not fail a test.
int check_all(const Course& course) {
  if (!std::getenv("CI")) {
    std::cout << "skipped: stubs are compared with the cut where CI=1 is set\n";
    return 77;
  }
  int passed = 0, failed = 0;
  for (const auto* e : course.select("")) {
    const std::string path = course.shown(course.stub(*e));
    const Outcome held =
        run({{"git", "-C", course.root.string(), "show", ":./" + path}, {}, {}, {}});
    // A file that is missing in git is an error, like one that differs.
    const bool same = held.exit_code == 0 && held.output == cut_file(course.solution(*e));
    (same ? passed : failed)++;
    if (!same)
      std::cout
          << "fail  " << path
          << " is not what is cut from its solution; type ./course cut --write, then commit\n";
  }
  std::cout << passed << " passed, " << failed << " failed, 0 skipped\n";
  return failed || passed == 0 ? 1 : 0;
}

class Cut : public Command {
 public:
  const char* name() const override { return "cut"; }
  const char* help() const override { return "authors: cut stubs out of solutions"; }
  const char* example() const override { return "./course cut --write"; }
  void syntax(Syntax& syntax) override {
    syntax.word("solution", solution_, "print the stub of this solution");
    syntax.option("-o,--output", output_, "write it to this file instead", "FILE");
    syntax.flag("--write", write_, "write all stubs into chapters/");
    syntax.flag("--check", check_, "compare the stubs that git holds with the cut");
  }
  int work(const Session& session) override {
    if (write_) return write_all(session.course());
    if (check_) return check_all(session.course());
    if (solution_.empty()) throw UsageError("Name a solution, or type ./course cut --write.");
    const std::string stub = cut_file(solution_);
    if (output_.empty())
      std::cout << stub;
    else
      write_if_different(output_, stub);
    return 0;
  }

 private:
  std::string solution_;
  std::string output_;
  bool write_ = false;
  bool check_ = false;
};

}  // namespace

std::unique_ptr<Command> make_cut() { return std::make_unique<Cut>(); }

}  // namespace course
