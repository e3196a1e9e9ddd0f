// `./course watch`: checks an exercise each time it is saved. On a terminal this is a screen with
// keys (watch_screen.cpp); elsewhere, and on terminals that cannot move their cursor, plain lines.
#include <chrono>
#include <iostream>

#include "build_lock.h"
#include "command.h"
#include "screen.h"
#include "watch_screen.h"
#include "watch_session.h"

namespace course {
namespace {

/// The exercise to begin with: of a chapter, the first one that is not passed.
const Exercise& first_exercise(const Course& course, const std::string& what) {
  const Progress progress(course.root);
  if (what.empty()) return chosen_exercise(course, progress, what);
  const auto chosen = course.select(what);
  if (chosen.empty()) throw UsageError("Chapter " + what + " has no exercises: ./course list");
  for (const auto* e : chosen)
    if (!progress.passed(*e)) return *e;
  return *chosen.front();
}

void print_verdict(const Course& course, const Exercise& e, const Checked& checked) {
  const Verdict& verdict = checked.verdict;
  // Asked before anything is printed, because a reader may bring the file back at once.
  const bool is_there = fs::exists(course.stub(e));
  std::cout << verdict_text(e, verdict);
  if (verdict.result != Result::pass) {
    if (is_there) std::cout << "Edit " << course.shown(course.stub(e)) << " and save it.\n";
    return;
  }
  if (const auto unchecked = unchecked_lines(e, verdict.text); !unchecked.empty())
    std::cout << "This machine did not check:\n" << unchecked;
  const Progress progress(course.root);
  const Exercise* next = next_exercise(course, progress, &e);
  if (checked.completes_chapter)
    std::cout << chapter_summary(course, course.chapter(e.chapter));
  else if (next != nullptr)
    std::cout << "Next: " << course.shown(course.stub(*next)) << '\n';
}

/// The first check of a chapter builds its checker, which takes a while: a line now and then.
class ProgressLines {
 public:
  void operator()(const CheckState& state) {
    const auto now = std::chrono::steady_clock::now();
    if (state.progress.empty()) {
      last_ = now;
      said_.clear();
    }
    const bool is_due =
        state.progress == kWaitingForBuild || now - last_ >= std::chrono::seconds(15);
    if (!is_due || state.progress == said_) return;
    last_ = now;
    said_ = state.progress;
    std::cout << said_ << '\n';
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::string said_;
};

int watch_in_lines(const Course& course, const Exercise& first, bool poll) {
  WatchSession watch(course, first, -1, poll);
  std::cout << "Watching the exercises. Save one to check it; Ctrl-C ends.\n";
  if (!watch.trouble().empty()) std::cout << watch.trouble() << '\n';
  ProgressLines print_progress;
  bool printed = false;
  while (true) {
    print_progress(watch.state());
    const WatchEvent event = watch.wait();
    const CheckState& state = watch.state();
    if (event == WatchEvent::signal) return 128 + watch.signal();
    if (!state.checked) printed = false;
    if (event != WatchEvent::verdict) continue;
    if (!printed) print_verdict(course, watch.current(), *state.checked);
    printed = true;
    std::cout << state.warning << std::flush;
  }
}

class Watch : public Command {
 public:
  const char* name() const override { return "watch"; }
  const char* help() const override { return "check an exercise each time you save it"; }
  const char* example() const override { return "./course watch 5"; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", what_,
                "5.scatter, or 5 for a chapter; default: the next one that is not passed");
    syntax.flag("--poll", poll_, "look at the files twice a second (network folders, WSL)");
    syntax.flag("--plain", plain_, "print plain lines on a terminal too");
  }
  int work(const Session& session) override {
    const Course course = session.course();
    const Exercise& first = first_exercise(course, what_);
    std::unique_ptr<Screen> screen = plain_ ? nullptr : Screen::open();
    if (screen) return watch_on_screen(session, course, first, poll_, std::move(screen));
    return watch_in_lines(course, first, poll_);
  }

 private:
  std::string what_;
  bool poll_ = false;
  bool plain_ = false;
};

}  // namespace

std::unique_ptr<Command> make_watch() { return std::make_unique<Watch>(); }

}  // namespace course
