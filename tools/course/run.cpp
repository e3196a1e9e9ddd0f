// `./course run N`: builds a chapter's program and executes it with exec, so that Ctrl-C, the
// terminal and the exit code are the program's own.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "builder.h"
#include "command.h"
#include "process.h"

namespace course {
namespace {

int run_chapter(const Course& course, const std::string& number, bool mine,
                std::vector<std::string> arguments) {
  if (number.empty())
    throw UsageError("Which chapter? ./course run 4, and ./course run 4 --help for its options.");
  const Chapter& chapter = course.chapter(number, "./course run 4");
  const std::size_t words = arguments.size();
  const std::string first = words > 0 ? arguments[0] : "";
  const fs::path program = build_program(course, chapter, mine, arguments);
  if (program.empty()) return 1;
  const std::string name = arguments.size() < words ? " " + first : "";
  const auto others = course.programs(chapter);
  if (name.empty() && words > 0 && (first == "--help" || first == "-h") && !others.empty()) {
    std::cout << "Other programs of this chapter:";
    for (const auto& other : others) std::cout << "  ./course run " << number << ' ' << other;
    std::cout << "\n\n";
  }
  if (mine) arguments.insert(arguments.begin(), "--mine");
  arguments.insert(arguments.begin(), program.string());
  setenv("COURSE_TYPED", ("./course run " + number + name).c_str(), 1);
  std::cout << std::flush;
  become(arguments);
}

/// Why there is no chapter: its number comes after options, or not at all.
UsageError number_first(std::vector<std::string> words) {
  const auto number = std::find_if(words.rbegin(), words.rend(), [](const std::string& word) {
    return word.find_first_not_of("0123456789") == std::string::npos;
  });
  std::string line = "./course run ";
  if (number == words.rend()) {
    line += "4";
  } else {
    line += *number;
    words.erase(std::next(number).base());
  }
  for (const auto& word : words) line += " " + word;
  return UsageError("The number comes first: " + line);
}

class Run : public Command {
 public:
  const char* name() const override { return "run"; }
  const char* help() const override {
    return "build and run a chapter's program, or another of its programs by its name; what "
           "follows goes to the program";
  }
  const char* example() const override { return "./course run 4 --device sim"; }
  void syntax(Syntax& syntax) override {
    syntax.word("chapter", chapter_,
                "its number; ./course run 4 --help shows its program's options");
    syntax.flag("--mine", mine_, "with your exercises instead of the course's own");
    syntax.rest(rest_);
  }
  int work(const Session& session) override {
    // The words after the number belong to the program, also --help.
    if (chapter_.empty() && !rest_.empty() && (rest_[0] == "--help" || rest_[0] == "-h"))
      throw HelpWanted();
    // The parser would take "sim" of "--device sim 2" for the chapter.
    const auto first = std::find_if(session.typed.begin(), session.typed.end(),
                                    [](const std::string& word) { return word != "--mine"; });
    if (first != session.typed.end() && first->rfind("-", 0) == 0)
      throw number_first(session.typed);
    // After the first word that is not the tool's, --mine is among the program's words.
    const auto mine = std::find(rest_.begin(), rest_.end(), "--mine");
    if (mine != rest_.end()) {
      mine_ = true;
      rest_.erase(mine);
    }
    return run_chapter(session.course(), chapter_, mine_, rest_);
  }

 private:
  std::string chapter_;
  bool mine_ = false;
  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_run() { return std::make_unique<Run>(); }

}  // namespace course
