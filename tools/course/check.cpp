// `./course check`: the verdicts on the named exercises, a summary, and what to do next.
#include <unistd.h>

#include <iostream>
#include <map>
#include <sstream>

#include "check_exercise.h"
#include "command.h"
#include "terminal.h"

namespace course {
namespace {

/// What to type next, after exercise `e`.
/// @param single whether it was the only one that was checked.
void advise(const Course& course, const Exercise& e, const Progress& progress, Result result,
            bool single) {
  const int hints = static_cast<int>(e.hints.size()) - progress.hints_seen(e);
  if (result == Result::pass) {
    if (single) std::cout << "Compare with ./course solution " << e.id() << ". ";
    const auto* next = next_exercise(course, progress, &e);
    if (next)
      std::cout << "Next: " << course.shown(course.stub(*next)) << '\n';
    else
      std::cout << "All exercises are passed.\n";
  } else if (result != Result::skipped && fs::exists(course.stub(e))) {
    std::cout << "Edit " << course.shown(course.stub(e)) << ", then type ./course check " << e.id()
              << ".";
    if (hints > 0) std::cout << "\n./course hint " << e.id() << " gives a hint.";
    std::cout << '\n';
  }
}

void print_counts(const std::map<Result, int>& counts, const std::string& unchecked) {
  const auto count = [&](Result r) { return counts.count(r) ? counts.at(r) : 0; };
  std::cout << count(Result::pass) << " pass · " << count(Result::fail) << " fail · "
            << count(Result::not_done_yet) << " not done yet · " << count(Result::skipped)
            << " skipped\n";
  if (!unchecked.empty()) std::cout << "This machine did not check:\n" << unchecked;
}

/// A summary has lines as long as a chapter's page; a terminal is narrower.
void print_wrapped(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    std::cout << wrap(line, terminal_of(STDOUT_FILENO).width) << '\n';
}

int check(const Course& course, const std::vector<const Exercise*>& chosen) {
  std::map<Result, int> counts;
  std::string unchecked;
  Result advised = Result::pass;
  const Exercise* advised_on =
      chosen.empty() ? nullptr : chosen.back();  // or the first one that did not pass
  std::vector<const Chapter*> completed;
  for (const auto* e : chosen) {
    const Checked checked = check_exercise(course, *e);
    const Verdict& v = checked.verdict;
    if (chosen.size() == 1 ||
        (advised == Result::pass && v.result != Result::pass && v.result != Result::skipped)) {
      advised = v.result;
      advised_on = e;
    }
    ++counts[v.result];
    unchecked += unchecked_lines(*e, v.text);
    std::cout << verdict_text(*e, v);
    // After the verdict, which is the same without a toolkit.
    if (v.result == Result::pass) std::cout << nvcc_warning(course, *e);
    if (checked.completes_chapter) completed.push_back(&course.chapter(e->chapter));
  }
  print_counts(counts, unchecked);
  const Progress progress(course.root);
  std::string summaries;
  for (const auto* chapter : completed)  // unless a later exercise of it no longer passes
    if (progress.completed(*chapter)) summaries += chapter_summary(course, *chapter);
  if (!summaries.empty())
    print_wrapped(summaries);
  else if (advised_on)
    advise(course, *advised_on, progress, advised, chosen.size() == 1);
  return counts[Result::pass] + counts[Result::skipped] == static_cast<int>(chosen.size()) ? 0 : 1;
}

class Check : public Command {
 public:
  const char* name() const override { return "check"; }
  const char* help() const override {
    return "check your exercises; default: the next one that is not passed";
  }
  const char* example() const override { return "./course check 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", what_, "5.scatter, or 5 for a whole chapter");
    syntax.flag("--all", all_, "every exercise of the course");
  }
  int work(const Session& session) override {
    const Course course = session.course();
    if (all_ || !what_.empty()) return check(course, course.select(what_));
    return check(course, {&chosen_exercise(course, Progress(course.root), "")});
  }

 private:
  std::string what_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<Check>(); }

}  // namespace course
