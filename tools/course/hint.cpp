// `./course hint`: the hints of an exercise, one level at a time, from a nudge to nearly the
// answer.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "command.h"
#include "progress.h"
#include "terminal.h"

namespace course {
namespace {

/// What was requested: the next level, this level, or all of them.
struct WantedHint {
  std::string exercise;
  std::int64_t level = 0;  // 0: the next one
  bool all = false;
};

/// How much a level reveals, so that learners do not read more than they want.
const char* reach(int level, int levels) {
  if (level == levels) return "Nearly the answer";
  return level == 1 ? "A nudge" : "A step further";
}

void say(const std::string& text, std::size_t indent = 0) {
  const auto start = text.find_first_not_of(' ');
  std::cout << text.substr(0, start)
            << wrap(text.substr(start), terminal_of(STDOUT_FILENO).width, indent, start) << '\n';
}

void show(const Exercise& e, int level) {
  const int levels = static_cast<int>(e.hints.size());
  say(std::string(reach(level, levels)) + ", hint " + std::to_string(level) + " of " +
      std::to_string(levels) + ": " + e.hints[static_cast<std::size_t>(level) - 1]);
}

/// What to type next: a command, or a key of `watch`, which sets the variable.
std::string to_type(const std::string& command, const char* key) {
  return std::getenv("COURSE_KEYS") ? key : "./course " + command;
}

/// Where to read more: the header's task, the lesson, the solution.
void point_further(const Course& course, const Exercise& e) {
  say("That was the last hint. Read on:");
  for (const char* header : {"exercises.h", "kernels.h"}) {
    const fs::path path = course.exercises(e.folder) / header;
    if (fs::exists(path) && read_file(path).find("Exercise " + std::to_string(e.chapter) + "." +
                                                 e.name) != std::string::npos)
      say("  the task: " + course.shown(path), 4);
  }
  const std::string page = course.chapter(e.chapter).page();
  if (fs::exists(course.root / page)) say("  the lesson, section \"How it works\": " + page, 4);
  say("  the solution, next to yours: " + to_type("solution " + e.id() + " --anyway", "s"), 4);
}

int hint(const Course& course, const WantedHint& wanted) {
  Progress progress(course.root);
  const Exercise& e = chosen_exercise(course, progress, wanted.exercise);
  const int levels = static_cast<int>(e.hints.size());
  if (levels == 0)
    throw std::runtime_error("There is no hint for " + e.id() +
                             "; its chapter's README tells more.");
  if (wanted.level > levels)
    throw UsageError("--level is \"" + std::to_string(wanted.level) + "\"; " + e.id() + " has " +
                     std::to_string(levels) + " hints: ./course hint " + e.id() + " --level " +
                     std::to_string(levels));
  const int next = std::min(progress.hints_seen(e) + 1, levels);
  const int last = wanted.all ? levels : wanted.level ? static_cast<int>(wanted.level) : next;
  say(e.id() + ": " + e.title);
  for (int level = wanted.all ? 1 : last; level <= last; ++level) show(e, level);
  progress.set_hints_seen(e, last);
  progress.save();
  if (last == levels)
    point_further(course, e);
  else
    say(std::to_string(levels - last) + (levels - last == 1 ? " hint is" : " hints are") +
        " left. The next one: " +
        to_type("hint " + e.id() + " --level " + std::to_string(last + 1), "h"));
  return 0;
}

class Hint : public Command {
 public:
  const char* name() const override { return "hint"; }
  const char* help() const override {
    return "a hint for an exercise; call it again for the next level";
  }
  const char* example() const override { return "./course hint 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", wanted_.exercise,
                "5.scatter; default: the next one that is not passed");
    syntax.integer("--level", wanted_.level, "only this level, from 1", 1, 99);
    syntax.flag("--all", wanted_.all, "all levels, those not seen yet, too");
  }
  int work(const Session& session) override {
    if (wanted_.all && wanted_.level)
      throw UsageError("--all shows every level; leave out --level, or --all.");
    return hint(session.course(), wanted_);
  }

 private:
  WantedHint wanted_;
};

}  // namespace

std::unique_ptr<Command> make_hint() { return std::make_unique<Hint>(); }

}  // namespace course
