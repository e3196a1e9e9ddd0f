// The parts of `./course watch` without a terminal: its pages at every size, the files it follows,
// and how a running check ends. watch_test.py tests the whole command.
#include "watch_view.h"

#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "tool.h"
#include "watch_files.h"
#include "watch_text.h"

using course::ExercisePage;
using course::Learner;
using course::Progress;
using course::Row;
using course::Space;

namespace {

std::string text_of(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (const auto& piece : row) text += piece.text;
    text += "\n";
  }
  return text;
}

std::size_t columns_of(const Row& row) {
  const std::string text = text_of({row});
  const auto bytes = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return static_cast<std::size_t>(bytes) - 1;  // its line break
}

/// Text that names the rows that do not fit; empty when all do.
std::string misfits(const std::vector<Row>& rows, const Space& space) {
  std::string found;
  if (rows.size() > static_cast<std::size_t>(space.rows))
    found = std::to_string(rows.size()) + " rows in " + std::to_string(space.rows) + "\n";
  for (const auto& row : rows)
    if (columns_of(row) > static_cast<std::size_t>(space.columns))
      found += std::to_string(space.columns) + " columns: " + text_of({row});
  return found;
}

course::Course fixture() { return course::load_course(COURSE_FIXTURE, COURSE_BUILD); }

ExercisePage failing(const course::Course& course) {
  ExercisePage page;
  page.exercise = &course.chapters[0].exercises[0];
  page.state = "fail  (1.2 s)";
  for (int i = 0; i < 40; ++i)
    page.text += "chapters/91_warm_up/exercises/double_all.cpp:" + std::to_string(i) +
                 ":14: error: invalid conversion from ‘const char*’ to ‘int’ [-fpermissive]\n";
  return page;
}

}  // namespace

TEST_CASE("watch rejects a missing exercise, and explains its usage") {
  const Learner learner;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"7", "There is no chapter 7; there are 91."},
      {"91.nothing", "There is no exercise \"91.nothing\"; there are: 91.double_all"},
      {"--keys", "--keys"}};
  for (const auto& [word, text] : cases) {
    const course::Outcome refused = learner.types({"watch", word});
    CHECK(refused.exit_code == 2);
    CHECK_SAYS(refused, text);
  }
  const course::Outcome help = learner.types({"watch", "--help"});
  CHECK(help.exit_code == 0);
  CHECK_SAYS(help, "--poll");
  CHECK_SAYS(help, "Example: ./course watch 5");
}

TEST_CASE("every page fits into every window") {
  const Learner learner;
  const course::Course course = fixture();
  const Progress progress(learner.root());
  ExercisePage what = failing(course);
  what.note = "Bring the original file of 91.double_all back? Your text is kept. y: yes";
  for (const bool utf8 : {true, false})
    for (const int columns : {1, 2, 7, 20, 40, 49, 50, 79, 80, 132, 200})
      for (int rows = 1; rows <= 40; ++rows) {
        const Space space{rows, columns, utf8};
        INFO(columns << " columns, " << rows << " rows");
        CHECK(misfits(exercise_page(course, progress, what, space).rows, space).empty());
        CHECK(misfits(keys_page(space), space).empty());
        for (const std::size_t chosen : {0, 1})
          if (rows >= 3)
            CHECK(
                misfits(list_page(course, progress, *what.exercise, chosen, space), space).empty());
      }
}

TEST_CASE("a small window keeps the verdict, the error and how to quit") {
  const Learner learner;
  const course::Course course = fixture();
  const Progress progress(learner.root());
  const std::string text =
      text_of(exercise_page(course, progress, failing(course), {6, 40, true}).rows);
  INFO(text);
  for (const char* part :
       {"91.double_all", "fail  (1.2 s)", "exercises/double_all", ".cpp:0:14", "q quit"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("a long text scrolls to its end and not beyond") {
  const Learner learner;
  const course::Course course = fixture();
  ExercisePage what = failing(course);
  const Space space{24, 200, true};
  const auto first = exercise_page(course, Progress(learner.root()), what, space);
  CHECK(first.last + first.visible == 40);
  CHECK(text_of(first.rows).find("(lines 1 to " + std::to_string(first.visible) + " of 40;") !=
        std::string::npos);
  what.scrolled = 1000;
  const std::string end =
      text_of(exercise_page(course, Progress(learner.root()), what, space).rows);
  CHECK(end.find("double_all.cpp:39:14") != std::string::npos);
  CHECK(end.find(" to 40 of 40;") != std::string::npos);
}

TEST_CASE("lines are folded at spaces and keep their indent") {
  CHECK(course::fold("  one two three", 10) == std::vector<std::string>{"  one two", "  three"});
  CHECK(course::fold("abcdefghij\nk", 4) == std::vector<std::string>{"abcd", "efgh", "ij", "k"});
  CHECK(course::fold("‘äöü’ ‘ß’", 6) == std::vector<std::string>{"‘äöü’", "‘ß’"});
  CHECK(course::fold("ends   \nhere", 5) == std::vector<std::string>{"ends", "here"});
}

TEST_CASE("what a program printed cannot disturb the screen") {
  CHECK(course::printable("a\tb\x1b[31mc\r\x07\nd", true) == "a    b[31mc\nd");
  CHECK(course::printable("3 µs · ‘int’ → …ß", false) == "3 us - 'int' -> ...?");
}

TEST_CASE("a file that is saved, replaced, deleted or brought back is noticed once") {
  const Learner learner;
  const course::Course course = course::load_course(learner.root(), COURSE_BUILD);
  for (const bool poll : {false, true}) {
    course::WatchedFiles files(course, poll);
    CHECK((files.descriptor() < 0) == poll);
    CHECK(files.trouble().empty());
    const auto* first = &course.chapters[0].exercises[0];
    const std::vector<const course::Exercise*> once = {first}, none;
    CHECK(files.changed() == none);
    learner.writes("double_all", "other text, by rename\n");
    CHECK(files.changed() == once);
    CHECK(files.changed() == none);
    course::fs::remove(learner.file("double_all"));
    CHECK(files.changed() == once);
    learner.solves("double_all");
    CHECK(files.changed() == once);
    course::write_file(learner.file("double_all").parent_path() / "notes.txt", "mine\n");
    CHECK(files.changed() == none);
  }
}

TEST_CASE("without inotify the files are polled, and the reason is printed") {
  const Learner learner;
  const course::Course course = course::load_course(learner.root(), COURSE_BUILD);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const course::WatchedFiles working(course, false);
  // The next descriptor would be one too many.
  rlimit none_left = before;
  none_left.rlim_cur = static_cast<rlim_t>(working.descriptor()) + 1;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none_left) == 0);
  const course::WatchedFiles files(course, false);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(files.descriptor() == -1);
  CHECK(files.interval() < working.interval());
  CHECK(files.trouble() ==
        "inotify does not work here (Too many open files), so the files are looked at twice a "
        "second. \"sudo sysctl fs.inotify.max_user_instances=512\" raises the limit.");
  CHECK(course::inotify_trouble(ENOSPC) ==
        "inotify does not work here (all its watches are in use), so the files are looked at twice "
        "a second. \"sudo sysctl fs.inotify.max_user_watches=524288\" raises the limit.");
}

TEST_CASE("a program that is stopped may clean up, and ends soon") {
  const td::FileDescriptor stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  course::Program program;
  program.stop = stop.get();
  program.on_line = [&](const std::string&) { eventfd_write(stop.get(), 1); };
  program.words = {"bash", "-c",
                   "trap 'echo cleaned up; exit 1' TERM; echo ready; sleep 60 & wait"};
  const course::Outcome polite = course::run(program);
  CHECK(polite.stopped);
  CHECK_SAYS(polite, "ready\ncleaned up\n");
  CHECK(polite.exit_code == 1);
  eventfd_t written = 0;
  eventfd_read(stop.get(), &written);
  program.words[2] = "trap '' TERM; echo ready; sleep 60";
  const course::Outcome stubborn = course::run(program);
  CHECK(stubborn.stopped);
  CHECK(stubborn.signal == SIGKILL);
  program.words[2] = "sleep 60";  // it is readable before the start
  CHECK(course::run(program).signal == SIGTERM);
}
