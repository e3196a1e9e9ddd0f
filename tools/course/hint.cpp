// `./course hint`: the next hint of an exercise, one at a time, from a nudge to nearly the answer.
#include <algorithm>
#include <iostream>

#include "command.h"
#include "progress.h"

namespace course {
namespace {

int hint(const Course& course, const std::string& what) {
  Progress progress(course.root);
  const Exercise& e = chosen_exercise(course, progress, what);
  const int all = static_cast<int>(e.hints.size());
  if (all == 0)
    throw std::runtime_error("There is no hint for " + e.id() +
                             "; its chapter's README tells more.");
  const int shown = std::min(progress.hints_seen(e) + 1, all);
  for (int i = 0; i < shown; ++i)
    std::cout << e.id() << ", hint " << i + 1 << " of " << all << ": "
              << e.hints[static_cast<std::size_t>(i)] << '\n';
  if (progress.hints_seen(e) >= all)
    std::cout << "That was the last one. ./course solution " << e.id()
              << " --anyway shows the solution.\n";
  progress.set_hints_seen(e, shown);
  progress.save();
  return 0;
}

class Hint : public Command {
 public:
  const char* name() const override { return "hint"; }
  const char* help() const override {
    return "a hint for an exercise; call again for the next one";
  }
  const char* example() const override { return "./course hint 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", what_, "5.scatter; the next one not passed without it");
  }
  int work(const Session& session) override { return hint(session.course(), what_); }

 private:
  std::string what_;
};

}  // namespace

std::unique_ptr<Command> make_hint() { return std::make_unique<Hint>(); }

}  // namespace course
