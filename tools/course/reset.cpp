// `./course reset`: restores the stub, cut from the solution. The learner's text is always saved
// first, and one command, which is printed, restores it.
#include <unistd.h>

#include <iostream>

#include "backup.h"
#include "command.h"
#include "progress.h"

namespace course {
namespace {

constexpr const char* kResetExample = "./course reset 5.scatter";

void forget_pass(const Course& course, const Exercise& e) {
  Progress progress(course.root);
  progress.set_passed(e, false);
  progress.save();
}

void tell(const Replaced& replaced, const std::string& what) {
  if (!replaced.changed) {
    std::cout << replaced.file.string() << " is " << what << " already; nothing to do.\n";
    return;
  }
  if (!replaced.backup.empty())
    std::cout << "Your text is kept in " << replaced.backup.string() << ". To get it back:\n"
              << "  ./course reset --restore " << replaced.backup.string() << '\n';
  std::cout << replaced.file.string() << " is " << what << " again.\n";
}

/// Asks on a terminal; elsewhere --yes is required. @throws UsageError without an answer.
bool agreed(const std::vector<const Exercise*>& exercises, bool yes) {
  if (yes) return true;
  const std::string what = "all " + std::to_string(exercises.size()) + " exercises of chapter " +
                           std::to_string(exercises[0]->chapter);
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
    throw UsageError("This resets " + what + ". If you mean it: ./course reset " +
                     std::to_string(exercises[0]->chapter) + " --yes");
  std::cout << "Reset " << what << "? Your texts are kept. [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
}

int reset(const Course& course, const std::string& what, bool yes) {
  const auto exercises = course.select(what);
  // `select` finds one exercise by any of its names, and a chapter by its number alone.
  const bool chapter = what.find_first_not_of("0123456789") == std::string::npos;
  if (chapter && !agreed(exercises, yes)) {
    std::cout << "Nothing was changed.\n";
    return 1;
  }
  for (const auto* e : exercises) {
    const Replaced replaced = reset_to_stub(course, *e);
    if (replaced.changed) forget_pass(course, *e);
    tell(replaced, "the stub");
  }
  return 0;
}

int list(const Course& course, const std::string& what) {
  bool any = false;
  for (const auto* e : course.select(what))
    for (const auto& backup : backups(course, *e)) {
      std::cout << "./course reset --restore " << backup.string() << '\n';
      any = true;
    }
  if (!any) std::cout << "No text is kept yet; ./course reset keeps what it replaces.\n";
  return 0;
}

class Reset : public Command {
 public:
  const char* name() const override { return "reset"; }
  const char* help() const override {
    return "bring an exercise's stub back, or a text that an earlier reset kept";
  }
  const char* example() const override { return kResetExample; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", what_, "5.scatter, or 5 for a whole chapter");
    syntax.flag("--yes", yes_, "reset a whole chapter without a question");
    syntax.flag("--list", list_, "the kept texts, each with the command that brings it back");
    syntax.option("--restore", backup_, "bring this kept text back; the one there is kept, too",
                  "FILE");
  }
  int work(const Session& session) override {
    const Course course = session.course();
    if (list_) return list(course, what_);
    if (!backup_.empty()) {
      // A check will show whether the text passes.
      tell(restore(course, backup_), "that text");
      return 0;
    }
    if (what_.empty()) throw UsageError("Which exercise? " + std::string(kResetExample));
    return reset(course, what_, yes_);
  }

 private:
  std::string what_, backup_;
  bool yes_ = false, list_ = false;
};

}  // namespace

std::unique_ptr<Command> make_reset() { return std::make_unique<Reset>(); }

}  // namespace course
