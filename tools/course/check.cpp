// `./course check`: compiles the learner's file, judges it, and remembers what passed. This is the
// loop of the course, so it starts nothing that the one exercise does not need.
#include <iostream>
#include <map>

#include "builder.h"
#include "command.h"
#include "judge.h"
#include "progress.h"

namespace course {
namespace {

/// A file that is missing or does not compile is a result like any other: it never ends the
/// command.
Verdict check_mine(const Course& course, const Exercise& e) {
  if (!fs::exists(course.stub(e)))
    return {Result::fail,
            "  " + course.stub(e).string() + " is missing; ./course reset " + e.id() +
                " brings it back\n",
            false};
  const Chapter& chapter = course.chapter(e.chapter);
  // One call for both: Ninja reads the build's files once, which is most of the wait.
  const std::string errors = build(course, {mine_target(e), chapter.checker()});
  if (!errors.empty()) return {Result::fail, "  it does not compile:\n" + errors, false};
  return judge(course, e, course.variant("mine"), false);
}

/// What nvcc finds in a kernel that passed on sim. Empty for host code, for a kernel that nvcc
/// compiles, and where there is no nvcc (cmake/Chapters.cmake).
std::string nvcc_errors(const Course& course, const Exercise& e) {
  if (course.stub(e).extension() != ".cu") return {};
  return build(course, {nvcc_target(e)});
}

/// What to type next, after a single exercise.
void advise(const Course& course, const Exercise& e, const Progress& progress, Result result) {
  const std::string file = fs::relative(course.stub(e), course.root).string();
  const int hints = static_cast<int>(e.hints.size()) - progress.hints_seen(e);
  if (result == Result::pass) {
    std::cout << "Compare with ./course solution " << e.id() << ". ";
    const auto* next = next_exercise(course, progress, &e);
    if (next)
      std::cout << "Next: " << fs::relative(course.stub(*next), course.root).string() << '\n';
    else
      std::cout << "That was the last one.\n";
  } else if (result != Result::skipped) {
    std::cout << "Edit " << file << ", then ./course check again.";
    if (hints > 0) std::cout << " ./course hint gives a hint.";
    std::cout << '\n';
  }
}

void close(const std::map<Result, int>& counts, const std::string& unchecked) {
  const auto count = [&](Result r) { return counts.count(r) ? counts.at(r) : 0; };
  std::cout << count(Result::pass) << " pass · " << count(Result::fail) << " fail · "
            << count(Result::not_done_yet) << " not done yet · " << count(Result::skipped)
            << " skipped\n";
  if (!unchecked.empty()) std::cout << "This machine did not check:\n" << unchecked;
}

/// The lines of a checker that tell what it skipped, also when the rest passed.
std::string skip_lines(const Exercise& e, const std::string& text) {
  static const std::string kMark = "  skipped: ";
  std::string lines;
  for (auto at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1))
    lines += "  " + e.id() + ": " +
             text.substr(at + kMark.size(), text.find('\n', at) - at - kMark.size()) + "\n";
  return lines;
}

int check(const Course& course, const std::vector<const Exercise*>& chosen) {
  Progress progress(course.root);
  std::map<Result, int> counts;
  std::string unchecked;
  Result last = Result::pass;
  for (const auto* e : chosen) {
    const Verdict v = check_mine(course, *e);
    last = v.result;
    ++counts[v.result];
    unchecked += skip_lines(*e, v.text);
    std::cout << word(v.result) << "  " << e->id() << "  " << e->title << '\n';
    if (v.result != Result::pass) std::cout << v.text;
    // After the verdict, which it changes nothing about: the verdict is the same without a toolkit.
    const std::string errors = v.result == Result::pass ? nvcc_errors(course, *e) : "";
    if (!errors.empty())
      std::cout << "  warning: nvcc does not compile it, so it will not run on a GPU:\n" << errors;
    // A skip tells nothing about the learner's work, so a pass that was known stays.
    if (v.result == Result::skipped)
      progress.set_skipped(*e);
    else
      progress.set_passed(*e, v.result == Result::pass);
  }
  progress.save();
  close(counts, unchecked);
  if (chosen.size() == 1) advise(course, *chosen[0], progress, last);
  return counts[Result::pass] + counts[Result::skipped] == static_cast<int>(chosen.size()) ? 0 : 1;
}

class Check : public Command {
 public:
  const char* name() const override { return "check"; }
  const char* help() const override { return "check your exercises; the next one without a name"; }
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
