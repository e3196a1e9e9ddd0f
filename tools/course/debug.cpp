// `./course debug`: finds the first test that fails, and starts gdb, which stops in that test at
// the learner's own functions.
#include <cstdlib>
#include <iostream>

#include "builder.h"
#include "check_exercise.h"
#include "command.h"
#include "os/start_process.h"

namespace course {
namespace {

/// gdb's words: the checker runs to the test, then to the exercise's first function that it calls.
std::vector<std::string> gdb_words(const Course& course, const Exercise& e, int test) {
  const Program checker = checker_program(course, e, course.variant("debug"), "--stop");
  std::vector<std::string> words = {"gdb", "--quiet"};
  const auto command = [&](const std::string& text) { words.insert(words.end(), {"-ex", text}); };
  command("set pagination off");
  for (const auto& [name, value] : checker.environment)
    command("set environment " + name + " " + value);
  command("break check::mark");  // which each test calls first (tests/support/course_reporter.cpp)
  command("ignore 1 " + std::to_string(test - 1));
  command("run");
  command("delete 1");
  command("rbreak " + course.stub(e).filename().string() + ":.");
  command("continue");
  words.push_back("--args");
  words.insert(words.end(), checker.words.begin(), checker.words.end());
  return words;
}

int debug(const Course& course, const Exercise& e) {
  if (td::find_program("gdb").empty()) {
    std::cerr << "There is no gdb here; install the Debian package gdb.\n";
    return 1;
  }
  if (!fs::exists(course.stub(e))) {
    std::cerr << course.shown(course.stub(e)) << " is missing; ./course reset " << e.id()
              << " brings it back.\n";
    return 1;
  }
  announce_older_file(course, e);
  const std::string errors = build(course, {debug_target(e), course.chapter(e.chapter).checker()});
  if (!errors.empty()) {
    std::cerr << course.shown(course.stub(e)) << " does not compile:\n" << errors;
    return 1;
  }
  const Verdict verdict = judge(course, e, course.variant("debug"), "--stop");
  std::cout
      << verdict_text(e, verdict)
      << (verdict.result == Result::pass
              ? "No test fails. gdb stops at your functions in the first test.\n"
              : "gdb stops at your functions in the test that fails.\n")
      << "n: next line  s: into a call  p NAME: a value  bt: who called  c: continue  q: quit\n"
      << std::flush;
  unsetenv("DEBUGINFOD_URLS");  // gdb would ask whether it may download what it does not need
  become(gdb_words(course, e, verdict.result == Result::pass ? 1 : verdict.tests));
}

class Debug : public Command {
 public:
  const char* name() const override { return "debug"; }
  const char* help() const override {
    return "start gdb in your code, in the test that fails; default: the next exercise that is not "
           "passed";
  }
  const char* example() const override { return "./course debug 5.scatter"; }
  void syntax(Syntax& syntax) override { syntax.word("exercise", what_, "5.scatter"); }
  int work(const Session& session) override {
    const Course course = session.course();
    return debug(course, chosen_exercise(course, Progress(course.root), what_));
  }

 private:
  std::string what_;
};

}  // namespace

std::unique_ptr<Command> make_debug() { return std::make_unique<Debug>(); }

}  // namespace course
