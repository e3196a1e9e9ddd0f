// `./course list`: the chapters, their exercises and what is passed.
#include <iostream>

#include "command.h"
#include "progress.h"

namespace course {
namespace {

void print_chapter(const Course& course, const Chapter& chapter, const Progress& progress) {
  std::cout << chapter.number_text() << "  " << chapter.title << "  (" << chapter.minutes
            << " min)\n";
  if (!chapter.needs.empty()) std::cout << "      needs: " << chapter.needs << '\n';
  for (const auto& e : chapter.exercises) {
    const bool there = fs::exists(course.stub(e));
    std::cout << "    " << (progress.passed(e) ? "pass  " : "      ") << e.id() << "  " << e.title
              << "  (" << e.minutes << " min)"
              << (there ? "" : "  missing: ./course reset " + e.id()) << '\n';
  }
}

int list(const Course& course) {
  const Progress progress(course.root);
  int passed = 0;
  for (const auto& chapter : course.chapters) print_chapter(course, chapter, progress);
  const auto all = course.select("");
  for (const auto* e : all) passed += progress.passed(*e);
  std::cout << passed << " of " << all.size() << " exercises passed.";
  if (const auto* next = next_exercise(course, progress))
    std::cout << " Next: " << fs::relative(course.stub(*next), course.root).string()
              << ", then ./course check";
  std::cout << '\n';
  return 0;
}

class List : public Command {
 public:
  const char* name() const override { return "list"; }
  const char* help() const override { return "the chapters, the exercises, and what is passed"; }
  const char* example() const override { return "./course list"; }
  void syntax(Syntax&) override {}
  int work(const Session& session) override { return list(session.course()); }
};

}  // namespace

std::unique_ptr<Command> make_list() { return std::make_unique<List>(); }

}  // namespace course
