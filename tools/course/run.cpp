// `./course run N`: builds a chapter's program and becomes it, so that Ctrl-C, the terminal and the
// exit code are the program's own.
#include <algorithm>
#include <iostream>

#include "builder.h"
#include "command.h"
#include "process.h"

namespace course {
namespace {

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

int run_chapter(const Course& course, const std::string& number, bool mine,
                std::vector<std::string> arguments) {
  const Chapter& chapter = chosen_chapter(course, number);
  const std::string errors = build(course, {chapter.program()});
  if (!errors.empty()) {
    std::cerr << errors << chapter.program() << " could not be built; the whole output is in "
              << (course.build / "course.log").string() << '\n';
    return 1;
  }
  if (mine) {
    build_mine(course, chapter);
    arguments.insert(arguments.begin(), "--mine");
  }
  arguments.insert(arguments.begin(), course.binary(chapter.program()).string());
  std::cout << std::flush;
  become(arguments);
}

class Run : public Command {
 public:
  const char* name() const override { return "run"; }
  const char* help() const override {
    return "run a chapter's program; what follows goes to it: ./course run 4 --device sim";
  }
  void syntax(Syntax& syntax) override {
    syntax.word("chapter", chapter_, "the chapter's number");
    syntax.flag("--mine", mine_, "with your exercises in place of the course's own");
    syntax.rest(rest_);
  }
  int work(const Session& session) override {
    // After the first word that is not ours, --mine is among the program's.
    const auto mine = std::find(rest_.begin(), rest_.end(), "--mine");
    if (mine != rest_.end()) {
      mine_ = true;
      rest_.erase(mine);
    }
    return run_chapter(session.course(), chapter_, mine_, rest_);
  }

 private:
  std::string chapter_;
  bool mine_ = false;
  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_run() { return std::make_unique<Run>(); }

}  // namespace course
