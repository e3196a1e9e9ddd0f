// `course-tool prove`: verifies the three guarantees of every exercise. CTest runs it once per
// chapter. Invariant: it reads solutions/ and tests/ only, never a learner's file in chapters/.
#include <algorithm>
#include <iostream>

#include "command.h"
#include "cutter.h"
#include "judge.h"

namespace course {
namespace {

// Fewer show little, because nearly any test finds one kind of mistake.
constexpr int kWrongAnswersNeeded = 3;
constexpr int kRightAnswersNeeded = 1;  // besides the solution, and written differently
constexpr int kHintsNeeded = 2;

struct Tally {
  int passed = 0, failed = 0, skipped = 0;

  void line(const char* result, const std::string& what, const std::string& detail = "") {
    std::cout << result << "  " << what << '\n' << detail << std::flush;
  }
  void pass(const std::string& what) { ++passed, line("pass   ", what); }
  void skip(const std::string& what, const std::string& why) {
    ++skipped, line("skipped", what, why);
  }
  void fail(const std::string& what, const std::string& why) {
    ++failed, line("fail   ", what, why);
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The answers of a kind, by name.
std::vector<fs::path> answers(const Course& course, const std::string& kind, const Exercise& e) {
  std::vector<fs::path> found;
  if (fs::is_directory(course.answers(kind, e)))
    for (const auto& entry : fs::directory_iterator(course.answers(kind, e)))
      if (is_source(entry.path())) found.push_back(entry.path());
  // The file system's order differs between machines; reports must not differ.
  std::sort(found.begin(), found.end());
  return found;
}

/// @param who "the solution", or a right answer that is written differently.
void prove_right(const Course& course, const Exercise& e, const std::string& who,
                 const fs::path& variant, Tally& tally) {
  const std::string what = e.id() + ": " + who + " passes";
  const Verdict v = judge(course, e, variant, true);
  if (v.result == Result::pass)
    tally.pass(what);
  else if (v.result == Result::skipped)
    tally.skip(what, v.text);
  else
    tally.fail(what, v.text);
}

void prove_stub(const Course& course, const Exercise& e, Tally& tally) {
  const std::string what = e.id() + ": the stub says it is not done yet, and the devices work on";
  const Verdict v = judge(course, e, course.variant("stub"), true);
  if (v.result == Result::skipped) return tally.skip(what, v.text);
  if (v.result != Result::not_done_yet)
    return tally.fail(what, std::string("  it was: ") + word(v.result) + "\n" + v.text);
  if (!contains(v.text, "not done yet: " + e.name))
    return tally.fail(what, "  \"not done yet: " + e.name + "\" was not printed\n" + v.text);
  // The exit code alone would not show that the devices were tested at all. A course without the
  // core (the fixture of the tool's tests) has no devices.
  const bool has_devices = fs::exists(course.root / "common" / "td");
  if (!contains(v.text, has_devices ? "devices work afterwards: cpu" : "devices work afterwards"))
    return tally.fail(what, "  the checker did not try the devices\n" + v.text);
  tally.pass(what);
}

/// The text after `// expect: ` on the first line; empty when there is none.
std::string expectation(const fs::path& answer) {
  static const std::string kMark = "// expect: ";
  const std::string text = read_file(answer);
  const std::string first = text.substr(0, text.find('\n'));
  return first.compare(0, kMark.size(), kMark) == 0 ? first.substr(kMark.size()) : "";
}

void prove_wrong(const Course& course, const Exercise& e, const fs::path& answer, Tally& tally) {
  const std::string name = answer.stem().string();
  const std::string what = e.id() + ": the wrong answer " + name + " is rejected";
  const std::string expected = expectation(answer);
  if (expected.empty())
    return tally.fail(what, "  its first line must be: // expect: <what the checker prints>\n");
  const Verdict v = judge(course, e, course.variant("wrong") / e.id() / name, true);
  if (v.result == Result::skipped) return tally.skip(what, v.text);
  // A crash or a hang is not a rejection, because it does not explain the mistake to a learner.
  if (!v.rejected)
    return tally.fail(what, std::string("  it was: ") + word(v.result) + "\n" + v.text);
  if (!contains(v.text, expected))
    return tally.fail(what, "  \"" + expected + "\" was not printed; this was:\n" + v.text);
  tally.pass(what);
}

void prove_metadata(const Course& course, const Exercise& e, std::size_t wrong, std::size_t right,
                    Tally& tally) {
  std::string why;
  if (wrong < kWrongAnswersNeeded)
    why += "  " + std::to_string(wrong) + " wrong answers in " +
           course.answers("wrong", e).string() + "; at least 3 are needed\n";
  if (right < kRightAnswersNeeded)
    why += "  " + std::to_string(right) + " right answers in " +
           course.answers("right", e).string() + "; at least 1 is needed\n";
  if (e.hints.size() < kHintsNeeded)
    why += "  " + std::to_string(e.hints.size()) + " hints in course.toml; at least 2 are needed\n";
  const std::string what = e.id() + ": has answers and hints enough";
  if (why.empty())
    tally.pass(what);
  else
    tally.fail(what, why);
}

void prove_exercise(const Course& course, const Exercise& e, Tally& tally) {
  const auto wrong = answers(course, "wrong", e), right = answers(course, "right", e);
  prove_metadata(course, e, wrong.size(), right.size(), tally);
  prove_right(course, e, "the solution", course.variant("solution"), tally);
  prove_stub(course, e, tally);
  for (const auto& answer : right) {
    const std::string name = answer.stem().string();
    prove_right(course, e, "the right answer " + name, course.variant("right") / e.id() / name,
                tally);
  }
  for (const auto& answer : wrong) prove_wrong(course, e, answer, tally);
}

/// A solution that course.toml does not name would never be verified, so it is an error.
void prove_all_listed(const Course& course, const Chapter& chapter, Tally& tally) {
  for (const auto& entry : fs::directory_iterator(course.root / "solutions" / chapter.folder)) {
    const auto listed = [&](const Exercise& e) { return e.name == entry.path().stem(); };
    if (is_source(entry.path()) &&
        std::none_of(chapter.exercises.begin(), chapter.exercises.end(), listed))
      tally.fail(entry.path().string(), "  chapters/course.toml does not list this exercise\n");
  }
  if (chapter.exercises.empty())
    tally.fail("chapter " + chapter.number_text(), "  chapters/course.toml lists no exercise\n");
}

class Prove : public Command {
 public:
  const char* name() const override { return "prove"; }
  const char* help() const override { return "authors: prove the promises of the exercises"; }
  const char* example() const override { return "./course prove 5.scatter"; }
  void syntax(Syntax& syntax) override {
    syntax.word("what", what_, "a chapter (5) or an exercise (5.scatter); default: all");
  }
  int work(const Session& session) override {
    const Course course = session.course();
    Tally tally;
    int last = -1;
    for (const auto* e : course.select(what_)) {
      if (e->chapter != last) prove_all_listed(course, course.chapter(e->chapter), tally);
      last = e->chapter;
      prove_exercise(course, *e, tally);
    }
    std::cout << tally.passed << " passed, " << tally.failed << " failed, " << tally.skipped
              << " skipped\n";
    return tally.failed || tally.passed == 0 ? 1 : 0;
  }

 private:
  std::string what_;
};

}  // namespace

std::unique_ptr<Command> make_prove() { return std::make_unique<Prove>(); }

}  // namespace course
