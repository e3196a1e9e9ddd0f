// Starts only what the one exercise needs, because the learner waits for it.
#include "check_exercise.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace course {
namespace {

/// Replaces what the system says of a function that the checker does not find in the learner's
/// file.
void explain_missing_function(const Course& course, const Exercise& e, Verdict& verdict) {
  static const std::string kMark = "undefined symbol: ";
  const auto at = verdict.text.find(kMark);
  if (verdict.text.find("symbol lookup error: ") == std::string::npos || at == std::string::npos)
    return;
  const auto begin = at + kMark.size();
  std::string name = verdict.text.substr(begin, verdict.text.find_first_of(" ,\n", begin) - begin);
  if (char* plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr)) {
    name = plain;
    std::free(plain);
  }
  verdict.text = "  " + course.shown(course.stub(e)) + " does not define " + name +
                 "; compare it with " +
                 (course.stub(e).extension() == ".cu" ? "kernels.h" : "exercises.h") +
                 ", or type ./course reset " + e.id() + "\n";
}

/// What to do about a function of the chapter's header that the file calls and does not define;
/// empty where the linker names none, or another one.
std::string about_other_exercise(const Course& course, const Exercise& e,
                                 const std::string& errors) {
  static const std::string kMark = "undefined symbol: ";
  const auto at = errors.find(kMark);
  const fs::path header = course.stub(e).parent_path() / "exercises.h";
  if (at == std::string::npos || !fs::exists(header)) return {};
  const auto begin = at + kMark.size();
  const std::string name = errors.substr(begin, errors.find_first_of("(\n", begin) - begin);
  if (read_file(header).find(" " + name + "(") == std::string::npos) return {};
  return "  " + name + " is not defined in this file, and each exercise is a library of its own: " +
         "write here what you need of another exercise.\n";
}

Verdict judge_mine(const Course& course, const Exercise& e, const Supervision& supervision) {
  if (!fs::exists(course.stub(e)))
    return {Result::fail,
            "  " + course.shown(course.stub(e)) + " is missing; ./course reset " + e.id() +
                " brings it back\n",
            false};
  announce_older_file(course, e);
  const Chapter& chapter = course.chapter(e.chapter);
  // One call for both: Ninja reads the build's files once, which is most of the wait.
  const std::string errors = build(course, {mine_target(e), chapter.checker()}, supervision);
  // What the build says where an optional package is missing (cmake/Chapters.cmake).
  static const std::string kLacks = "This machine lacks ";
  if (const auto at = errors.find(kLacks); at != std::string::npos)
    return {Result::skipped, "  skipped: " + errors.substr(at, errors.find('\n', at) - at) + "\n",
            false};
  if (!errors.empty())
    return {Result::fail,
            "  it does not compile:\n" + errors + about_other_exercise(course, e, errors), false};
  Verdict verdict = judge(course, e, course.variant("mine"), "", supervision.stop);
  explain_missing_function(course, e, verdict);
  verdict.text = shortened(verdict.text);
  return verdict;
}

/// Saves the verdict. @return whether it completes the chapter.
bool remember(const Course& course, const Exercise& e, Result result) {
  // Read only now: a hint that was asked for during the check must not be forgotten.
  Progress progress(course.root);
  const bool news = result == Result::pass && !progress.passed(e);
  // A skip says nothing about the learner's work, so an earlier pass stays.
  if (result == Result::skipped)
    progress.set_skipped(e);
  else
    progress.set_passed(e, result == Result::pass);
  progress.save();
  return news && !e.optional && progress.completed(course.chapter(e.chapter));
}

/// The sentence that follows "You will build" on the chapter's page; empty where there is none.
std::string what_was_built(const Course& course, const Chapter& chapter) {
  static const std::string kMark = "**You will build** ";
  const fs::path page = course.root / chapter.page();
  if (!fs::exists(page)) return {};
  const std::string text = read_file(page);
  const auto mark = text.find(kMark);
  if (mark == std::string::npos) return {};
  std::string sentence = text.substr(mark + kMark.size());
  sentence.resize(std::min(sentence.find("\n\n"), sentence.size()));
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  if (const auto end = sentence.find(". "); end != std::string::npos) sentence.resize(end + 1);
  return sentence;
}

}  // namespace

Checked check_exercise(const Course& course, const Exercise& e, const Supervision& supervision) {
  Checked checked;
  checked.verdict = judge_mine(course, e, supervision);
  checked.stopped = is_readable(supervision.stop);
  if (!checked.stopped) checked.completes_chapter = remember(course, e, checked.verdict.result);
  return checked;
}

std::string nvcc_warning(const Course& course, const Exercise& e, const Supervision& supervision) {
  if (course.stub(e).extension() != ".cu") return {};
  const std::string errors = build(course, {nvcc_target(e)}, supervision);
  if (errors.empty() || is_readable(supervision.stop)) return {};
  return "  warning: nvcc does not compile it, so it will not run on a GPU:\n" + errors;
}

std::string verdict_text(const Exercise& e, const Verdict& verdict) {
  return word(verdict.result) + ("  " + e.id()) + "  " + e.title + "\n" +
         (verdict.result == Result::pass ? "" : verdict.text);
}

std::string unchecked_lines(const Exercise& e, const std::string& text) {
  static const std::string kMark = "  skipped: ";
  std::string lines;
  for (auto at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1))
    lines += "  " + e.id() + ": " +
             text.substr(at + kMark.size(), text.find('\n', at) - at - kMark.size()) + "\n";
  return lines;
}

std::string chapter_summary(const Course& course, const Chapter& chapter) {
  std::ostringstream out;
  const std::string number = std::to_string(chapter.number);
  const auto optional = std::count_if(chapter.exercises.begin(), chapter.exercises.end(),
                                      [](const Exercise& e) { return e.optional; });
  const auto needed = static_cast<std::ptrdiff_t>(chapter.exercises.size()) - optional;
  out << "Chapter " << chapter.number_text() << ", " << chapter.title << ", is complete: " << needed
      << (needed == 1 ? " exercise" : " exercises") << ", planned for " << chapter.minutes
      << " minutes.\n";
  if (const std::string built = what_was_built(course, chapter); !built.empty())
    out << "You have built " << built << '\n';
  out << "Run the chapter's program with your code: ./course run " << number << " --mine\n"
      << "Then measure: \"Measure it\" in " << chapter.page() << ".\n";
  if (optional > 0)
    out << "It has optional exercises for more practice: ./course list " << number << '\n';
  const auto next =
      std::find_if(course.chapters.begin(), course.chapters.end(),
                   [&](const Chapter& other) { return other.number > chapter.number; });
  if (next == course.chapters.end())
    out << "This was the last chapter. ./course list shows what is open.\n";
  else
    out << "Next: chapter " << next->number_text() << ", " << next->title << ", " << next->minutes
        << " minutes: " << next->page() << '\n';
  return out.str();
}

}  // namespace course
