// `course-tool prove`: verifies the three guarantees of every exercise. CTest runs it once per
// chapter. Invariant: it reads solutions/ and tests/ only, never a learner's file in chapters/.
#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include "builder.h"
#include "command.h"
#include "cutter.h"
#include "judge.h"

namespace course {
namespace {

// Fewer show little, because nearly any test finds one kind of mistake.
constexpr std::size_t kWrongAnswersNeeded = 3;
constexpr std::size_t kRightAnswersNeeded = 1;  // besides the solution, and written differently
constexpr std::size_t kHintsNeeded = 2;

/// What came out: pass, fail or skipped, and why.
struct Report {
  Result result;
  std::string detail;
};

/// One promise: what it says, and how it is judged.
struct Promise {
  std::string what;
  std::function<Report()> judge;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Whether a line of the text has the parts of `expected`, between which `…` stands for anything.
bool says(const std::string& text, const std::string& expected) {
  static const std::string kAnything = "…";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = 0, begin = 0;
    while (at != std::string::npos && begin <= expected.size()) {
      const auto end = std::min(expected.find(kAnything, begin), expected.size());
      const std::string part = expected.substr(begin, end - begin);
      at = line.find(part, at);
      if (at != std::string::npos) at += part.size();
      begin = end + kAnything.size();
    }
    if (at != std::string::npos) return true;
  }
  return false;
}

/// A wrong or right answer in tests/chapters/<folder>/<kind>/<exercise>.
struct Answer {
  std::string name;
  std::string expected;  ///< What the checker prints about a wrong one.
};

/// What follows a mark that the line begins with; empty for other lines.
std::string after(const std::string& line, const std::string& mark) {
  return line.compare(0, mark.size(), mark) == 0 ? line.substr(mark.size()) : "";
}

/// The name that a line gives to the code of an answer: `namespace NAME {` or `#ifdef NAME`.
std::string name_of_code(const std::string& line) {
  const std::string rest = after(line, "namespace ") + after(line, "#ifdef ");
  // `namespace fs = std::filesystem;` is another name for something else.
  return rest.find(" = ") == std::string::npos ? rest.substr(0, rest.find_first_of(" {")) : "";
}

/// The answers of a kind, in the order of their file; none where there is no file.
/// @throws std::runtime_error naming the file when an answer is not announced by `// answer:
/// <name>`, so that it would never be judged.
std::vector<Answer> answers(const Course& course, const std::string& kind, const Exercise& e) {
  const fs::path path = course.answers(kind, e);
  std::vector<Answer> found;
  if (!fs::exists(path)) return found;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    const std::string name = after(line, "// answer: "), expected = after(line, "// expect: "),
                      code = name_of_code(line);
    if (!name.empty())
      found.push_back({name, ""});
    else if (found.empty() ? !(expected + code).empty()
                           : !code.empty() && code != found.back().name)
      throw std::runtime_error(course.shown(path) +
                               ": expected the line  // answer: <name>  before  " + line);
    else if (!expected.empty())
      found.back().expected = expected;
  }
  return found;
}

Report right(const Course& course, const Exercise& e, const fs::path& variant) {
  Verdict v = judge(course, e, variant, "--prove");
  return {v.result == Result::not_done_yet ? Result::fail : v.result, v.text};
}

Report stub(const Course& course, const Exercise& e) {
  const Verdict v = judge(course, e, course.variant("stub"), "--prove");
  if (v.result == Result::skipped) return {v.result, v.text};
  if (v.result != Result::not_done_yet)
    return {Result::fail, std::string("  it was: ") + word(v.result) + "\n" + v.text};
  if (!contains(v.text, "not done yet: " + e.name))
    return {Result::fail, "  \"not done yet: " + e.name + "\" was not printed\n" + v.text};
  // The exit code alone would not show that the devices were tested at all. A course without the
  // core (the fixture of the tool's tests) has no devices.
  const bool has_devices = fs::exists(course.root / "common" / "td");
  if (!contains(v.text, has_devices ? "devices work afterwards: cpu" : "devices work afterwards"))
    return {Result::fail, "  the checker did not try the devices\n" + v.text};
  return {Result::pass, ""};
}

Report wrong(const Course& course, const Exercise& e, const Answer& answer) {
  if (answer.expected.empty())
    return {Result::fail, "  it lacks the line  // expect: <what the checker prints>\n"};
  const Verdict v = judge(course, e, course.variant("answers") / e.id() / answer.name, "--prove");
  if (v.result == Result::skipped) return {v.result, v.text};
  // A crash or a hang is not a rejection, because it does not explain the mistake to a learner.
  if (!v.rejected)
    return {Result::fail, std::string("  it was: ") + word(v.result) + "\n" + v.text};
  if (!says(v.text, answer.expected))
    return {Result::fail, "  \"" + answer.expected + "\" was not printed; this was:\n" + v.text};
  return {Result::pass, ""};
}

Report metadata(const Course& course, const Exercise& e, std::size_t wrong, std::size_t right) {
  std::string why;
  const auto need = [&](std::size_t count, std::size_t needed, const std::string& what) {
    if (count < needed)
      why += "  " + std::to_string(count) + " " + what + "; at least " + std::to_string(needed) +
             " are needed\n";
  };
  need(wrong, kWrongAnswersNeeded, "wrong answers in " + course.answers("wrong", e).string());
  need(right, kRightAnswersNeeded, "right answers in " + course.answers("right", e).string());
  need(e.hints.size(), kHintsNeeded, "hints in course.toml");
  return {why.empty() ? Result::pass : Result::fail, why};
}

Promise solution_passes(const Course& course, const Exercise& e) {
  return {e.id() + ": the solution passes",
          [&] { return right(course, e, course.variant("solution")); }};
}

void add_promises(const Course& course, const Exercise& e, std::vector<Promise>& promises) {
  const auto all_wrong = answers(course, "wrong", e), all_right = answers(course, "right", e);
  promises.push_back(
      {e.id() + ": has answers and hints enough",
       [&, w = all_wrong.size(), r = all_right.size()] { return metadata(course, e, w, r); }});
  promises.push_back(solution_passes(course, e));
  promises.push_back({e.id() + ": the stub says it is not done yet, and the devices work on",
                      [&] { return stub(course, e); }});
  for (const Answer& answer : all_right)
    promises.push_back({e.id() + ": the right answer " + answer.name + " passes", [&, answer] {
                          return right(course, e, course.variant("answers") / e.id() / answer.name);
                        }});
  for (const Answer& answer : all_wrong)
    promises.push_back({e.id() + ": the wrong answer " + answer.name + " is rejected",
                        [&, answer] { return wrong(course, e, answer); }});
}

/// A solution that course.toml does not name would never be verified, so it is an error.
void add_unlisted(const Course& course, const Chapter& chapter, std::vector<Promise>& promises) {
  const auto fault = [&](const std::string& what, const std::string& why) {
    promises.push_back({what, [why] { return Report{Result::fail, why}; }});
  };
  for (const auto& entry : fs::directory_iterator(course.root / "solutions" / chapter.folder)) {
    const auto listed = [&](const Exercise& e) { return e.name == entry.path().stem(); };
    if (is_source(entry.path()) &&
        std::none_of(chapter.exercises.begin(), chapter.exercises.end(), listed))
      fault(entry.path().string(), "  chapters/course.toml does not list this exercise\n");
  }
  if (chapter.exercises.empty())
    fault("chapter " + chapter.number_text(), "  chapters/course.toml lists no exercise\n");
}

/// Judges several promises at a time, because most checkers wait for their devices, and prints a
/// line for each in their order. @return the exit code.
int judge_all(const std::vector<Promise>& promises) {
  std::vector<std::promise<Report>> reports(promises.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < promises.size(); i = next++) try {
        reports[i].set_value(promises[i].judge());
      } catch (const std::exception& error) {
        reports[i].set_value({Result::fail, std::string("  ") + error.what() + "\n"});
      }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < 2 * std::max(1u, std::thread::hardware_concurrency()); ++i)
    workers.emplace_back(work);
  int counts[4] = {};
  for (std::size_t i = 0; i < promises.size(); ++i) {
    const Report report = reports[i].get_future().get();
    ++counts[static_cast<int>(report.result)];
    std::cout << std::left << std::setw(7) << word(report.result) << "  " << promises[i].what
              << '\n'
              << (report.result == Result::pass ? "" : report.detail) << std::flush;
  }
  const int passed = counts[static_cast<int>(Result::pass)],
            failed = counts[static_cast<int>(Result::fail)],
            skipped = counts[static_cast<int>(Result::skipped)];
  std::cout << passed << " passed, " << failed << " failed, " << skipped << " skipped\n";
  return failed || passed + skipped == 0 ? 1 : 0;
}

/// Builds the checkers of the exercises' chapters with the solutions, or with the variants of these
/// exercises, too.
/// @throws std::runtime_error with what the compiler says.
void build_for(const Course& course, const std::vector<const Exercise*>& exercises,
               bool only_solutions) {
  std::set<std::string> targets;
  for (const Exercise* e : exercises) {
    targets.insert(course.chapter(e->chapter).checker());
    if (!only_solutions) targets.insert(proof_target(*e));
  }
  if (const std::string errors = build(course, {targets.begin(), targets.end()}); !errors.empty())
    throw std::runtime_error("it does not compile:\n" + errors);
}

class Prove : public Command {
 public:
  const char* name() const override { return "prove"; }
  const char* help() const override { return "authors: prove the promises of the exercises"; }
  const char* example() const override { return "./course prove 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("what", what_, "a chapter (5) or an exercise (5.scatter); default: all");
    syntax.flag("--solutions", solutions_, "judge nothing but the solutions");
    syntax.flag("--no-build", no_build_, "judge what was built before");
  }
  int work(const Session& session) override {
    const Course course = session.course();
    const auto exercises = course.select(what_);
    if (!no_build_) build_for(course, exercises, solutions_);
    std::vector<Promise> promises;
    int last = -1;
    for (const auto* e : exercises) {
      if (solutions_) {
        promises.push_back(solution_passes(course, *e));
        continue;
      }
      if (e->chapter != last) add_unlisted(course, course.chapter(e->chapter), promises);
      last = e->chapter;
      add_promises(course, *e, promises);
    }
    return judge_all(promises);
  }

 private:
  std::string what_;
  bool solutions_ = false, no_build_ = false;
};

}  // namespace

std::unique_ptr<Command> make_prove() { return std::make_unique<Prove>(); }

}  // namespace course
