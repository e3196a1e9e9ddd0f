// `./course reset`: the stub again, cut from the solution. The learner's text is kept first,
// always.
#include <ctime>
#include <iostream>

#include "command.h"
#include "cutter.h"
#include "progress.h"

namespace course {
namespace {

/// A file name under .course/backup that nothing has yet: two resets in a second keep both texts.
fs::path backup_name(const Course& course, const Exercise& e) {
  char stamp[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", std::localtime(&now));
  const fs::path folder = course.root / ".course" / "backup";
  const std::string suffix = course.stub(e).extension();
  fs::path file = folder / (e.id() + "." + stamp + suffix);
  for (int i = 2; fs::exists(file); ++i)
    file = folder / (e.id() + "." + stamp + "-" + std::to_string(i) + suffix);
  return file;
}

int reset(const Course& course, const std::string& what) {
  const Exercise& e = course.exercise(what);
  const fs::path file = course.stub(e);
  const std::string name = fs::relative(file, course.root).string();
  const std::string stub = cut(read_file(course.solution(e)), e.name);
  if (fs::exists(file)) {
    const std::string text = read_file(file);
    if (text == stub) {
      std::cout << name << " is as it was shipped; nothing to do.\n";
      return 0;
    }
    const fs::path backup = backup_name(course, e);
    write_file(backup, text);
    std::cout << "Your text is kept in " << fs::relative(backup, course.root).string() << ".\n";
  }
  // Only after the backup is on the disk.
  write_file(file, stub);
  Progress progress(course.root);
  progress.set_passed(e, false);
  progress.save();
  std::cout << name << " is the stub again.\n";
  return 0;
}

class Reset : public Command {
 public:
  const char* name() const override { return "reset"; }
  const char* help() const override { return "bring an exercise's stub back; your text is kept"; }
  const char* example() const override { return "./course reset 5.scatter"; }
  void syntax(Syntax& syntax) override { syntax.word("exercise", what_, "5.scatter"); }
  int work(const Session& session) override {
    if (what_.empty()) throw UsageError("Which exercise? ./course reset 5.scatter");
    return reset(session.course(), what_);
  }

 private:
  std::string what_;
};

}  // namespace

std::unique_ptr<Command> make_reset() { return std::make_unique<Reset>(); }

}  // namespace course
