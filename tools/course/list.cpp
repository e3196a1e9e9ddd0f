// `./course list`: your progress in each chapter, and the exercises of your current chapter.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "builder.h"
#include "command.h"
#include "list_json.h"
#include "progress.h"
#include "terminal.h"

namespace course {
namespace {

// On a narrower terminal an entry takes two lines instead of one.
constexpr std::size_t kOneLine = 72;
constexpr std::size_t kLongestBar = 20;

std::string minutes_text(int minutes) {
  const int hours = minutes / 60, rest = minutes % 60;
  if (hours == 0) return std::to_string(minutes) + " min";
  return std::to_string(hours) + " h" + (rest ? " " + std::to_string(rest) + " min" : "");
}

/// What is done, of a chapter or of all.
struct Done {
  std::size_t passed = 0, all = 0;
  int minutes_left = 0;

  void add(const Exercise& e, const Progress& progress) {
    ++all;
    if (progress.passed(e))
      ++passed;
    else if (!e.optional)
      minutes_left += e.minutes;
  }
  std::string count() const { return std::to_string(passed) + " of " + std::to_string(all); }
  std::string left() const {
    if (passed == all) return "done";
    return minutes_left == 0 ? "optional left" : minutes_text(minutes_left) + " left";
  }
};

Done done_in(const Chapter& chapter, const Progress& progress) {
  Done done;
  for (const auto& e : chapter.exercises) done.add(e, progress);
  return done;
}

std::string bar(const Done& done, std::size_t length, const Terminal& terminal) {
  const Bar bar = progress_bar(done.passed, done.all, length, terminal.utf8);
  return colored(bar.filled, Color::good, terminal) + bar.rest;
}

/// Prints the list on one terminal.
class Printer {
 public:
  Printer(const Course& course, const Progress& progress)
      : course_(course),
        progress_(progress),
        next_(next_exercise(course, progress)),
        terminal_(terminal_of(STDOUT_FILENO)) {
    for (const auto& chapter : course.chapters) {
      title_ = std::max(title_, columns(chapter.title));
      for (const auto& e : chapter.exercises) id_ = std::max(id_, columns(e.id()));
    }
  }

  const Exercise* next() const { return next_; }

  void chapter_line(const Chapter& chapter) const {
    const Done done = done_in(chapter, progress_);
    const std::string end = "  " + padded(done.count(), 8) + "  " + done.left();
    const std::string head = chapter.number_text() + "  ";
    if (terminal_.width >= kOneLine) {
      const std::size_t used = 4 + title_ + 2 + 10 + 2 + 15;
      const std::size_t room = terminal_.width > used + 5 ? terminal_.width - used : 5;
      std::cout << head << padded(chapter.title, title_) << "  "
                << bar(done, std::min(room, kLongestBar), terminal_) << end << '\n';
    } else {
      const std::size_t room =
          terminal_.width > 36 ? std::min<std::size_t>(terminal_.width - 30, 10) : 4;
      std::cout << head << wrap(chapter.title, terminal_.width, 4, 4) << "\n    "
                << bar(done, room, terminal_) << "  " << done.count() << "  " << done.left()
                << '\n';
    }
  }

  void exercise_line(const Exercise& e) const {
    const bool missing = !fs::exists(course_.stub(e));
    std::string text =
        e.title + " (" + std::to_string(e.minutes) + " min" + (e.optional ? ", optional)" : ")");
    if (missing) text += ": ./course reset " + e.id() + " brings the file back";
    const Mark m = mark(e, missing);
    if (terminal_.width >= kOneLine) {
      const std::size_t column = 6 + 9 + id_ + 2;
      std::cout << "      " << colored(padded(m.word, 9), m.color, terminal_) << padded(e.id(), id_)
                << "  " << wrap(text, terminal_.width, column, column) << '\n';
    } else {
      std::cout << "    " << e.id() << "  " << colored(m.word, m.color, terminal_) << "\n      "
                << wrap(text, terminal_.width, 6, 6) << '\n';
    }
  }

  void lines(const Chapter& chapter) const {
    if (!chapter.needs.empty())
      std::cout << "      " << wrap("needs " + chapter.needs, terminal_.width, 6, 6) << '\n';
    for (const auto& e : chapter.exercises) exercise_line(e);
  }

  void say(const std::string& text) const { std::cout << wrap(text, terminal_.width) << '\n'; }

 private:
  /// A word, so that the meaning is clear without its color.
  struct Mark {
    const char* word;
    Color color;
  };
  Mark mark(const Exercise& e, bool missing) const {
    if (missing) return {"missing", Color::bad};
    if (progress_.passed(e)) return {"pass", Color::good};
    if (progress_.skipped(e)) return {"skipped", Color::warning};
    return {&e == next_ ? "next" : "", Color::here};
  }

  const Course& course_;
  const Progress& progress_;
  const Exercise* next_;
  Terminal terminal_;
  std::size_t title_ = 0, id_ = 0;  // columns of the widest
};

void list_chapter(const Course& course, const Chapter& chapter, const Progress& progress) {
  const Printer printer(course, progress);
  printer.chapter_line(chapter);
  printer.lines(chapter);
  std::string programs = "Its programs: ./course run " + std::to_string(chapter.number);
  const auto others = course.programs(chapter);
  for (const auto& name : others)
    programs += ", ./course run " + std::to_string(chapter.number) + " " + name;
  if (!others.empty()) printer.say(programs);
  if (fs::exists(course.root / chapter.page())) printer.say("The lesson: " + chapter.page());
}

void list_course(const Course& course, const Progress& progress, bool all) {
  const Printer printer(course, progress);
  const Exercise* next = printer.next();
  Done done;
  for (const auto& chapter : course.chapters) {
    printer.chapter_line(chapter);
    for (const auto& e : chapter.exercises) done.add(e, progress);
    if (all || (next && next->chapter == chapter.number)) printer.lines(chapter);
  }
  printer.say(done.count() + " exercises passed" +
              (done.passed == done.all ? "." : ", " + done.left() + "."));
  if (next) printer.say("Next: " + course.shown(course.stub(*next)) + ", then ./course check");
  if (!all)
    printer.say("./course list N shows one chapter, ./course list --all shows every exercise.");
}

class List : public Command {
 public:
  const char* name() const override { return "list"; }
  const char* help() const override {
    return "how far you are in each chapter; skipped: this machine could not check it";
  }
  const char* example() const override { return "./course list 5"; }
  void syntax(Syntax& syntax) override {
    syntax.word("chapter", chapter_, "only this chapter, with its exercises");
    syntax.flag("--all", all_, "the exercises of all chapters");
    syntax.flag("--json", json_, "for editors and scripts");
  }
  int work(const Session& session) override {
    const Course course = session.course();
    const Progress progress(course.root);
    std::vector<const Chapter*> chosen;
    if (chapter_.empty())
      for (const auto& chapter : course.chapters) chosen.push_back(&chapter);
    else
      chosen = {&course.chapter(chapter_, "./course list 5")};
    if (json_)
      std::cout << list_as_json(course, chosen, progress);
    else if (chapter_.empty())
      list_course(course, progress, all_);
    else
      list_chapter(course, *chosen[0], progress);
    return 0;
  }

 private:
  std::string chapter_;
  bool all_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() { return std::make_unique<List>(); }

}  // namespace course
