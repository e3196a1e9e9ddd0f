// What comes next, and what the progress file remembers through merges, damage and other processes.
#include "progress.h"

#include "catch.h"
#include "process.h"

namespace {

course::Exercise exercise(int chapter, const std::string& name) {
  return {chapter, "", name, "", 1, {}};
}

course::Course two_chapters() {
  course::Course course;
  course.chapters.push_back({1, "", "", 5, "", {exercise(1, "a"), exercise(1, "b")}});
  course.chapters.push_back(
      {2, "", "", 5, "", {exercise(2, "c"), exercise(2, "d"), exercise(2, "e")}});
  return course;
}

}  // namespace

TEST_CASE("after a pass the next exercise is one of the same chapter") {
  const course::Course course = two_chapters();
  course::Progress progress("/nowhere");
  const auto& chapter = course.chapters[1].exercises;
  const auto after = [&](const course::Exercise& passed) {
    progress.set_passed(passed, true);
    const auto* next = course::next_exercise(course, progress, &passed);
    return next ? next->name : "none";
  };
  CHECK(course::next_exercise(course, progress)->name == "a");
  progress.set_passed(chapter[0], true);
  progress.set_passed(chapter[1], true);
  // As `watch` asks: the last open one of its chapter is not the last one of the course.
  CHECK(course::next_exercise(course, progress, &chapter[2])->name == "a");
  for (const auto& e : chapter) progress.set_passed(e, false);
  CHECK(after(chapter[1]) == "e");
  CHECK(after(chapter[2]) == "c");
  CHECK(after(chapter[0]) == "a");  // the chapter is finished
  CHECK(after(course.chapters[0].exercises[0]) == "b");
  CHECK(after(course.chapters[0].exercises[1]) == "none");
}

TEST_CASE("an optional exercise is the next one only when no other is open") {
  course::Course course = two_chapters();
  course.chapters[0].exercises[1].optional = true;
  const course::Chapter& first = course.chapters[0];
  course::Progress progress("/nowhere");
  const auto next = [&](const course::Exercise* passed = nullptr) {
    const auto* e = course::next_exercise(course, progress, passed);
    return e ? e->name : "none";
  };
  CHECK_FALSE(progress.completed(first));
  progress.set_passed(first.exercises[0], true);
  CHECK(progress.completed(first));
  CHECK(next(&first.exercises[0]) == "c");
  CHECK(next(&first.exercises[1]) == "c");  // somebody works on it who does not want it any more
  for (const auto& e : course.chapters[1].exercises) progress.set_passed(e, true);
  CHECK(next() == "b");
  progress.set_passed(first.exercises[1], true);
  CHECK(next() == "none");
}

namespace {

/// A folder with a progress file of this text.
course::fs::path folder_with(const std::string& text) {
  const course::fs::path root = course::fs::path(COURSE_LEARNER).parent_path() / "progress";
  course::fs::remove_all(root);
  course::write_file(root / ".course" / "progress.txt", text);
  return root;
}

std::string saved(const course::fs::path& root) {
  return course::read_file(root / ".course" / "progress.txt");
}

const std::string kHeader =
    "# What ./course remembers, one fact per line. Delete a line to forget it.\n";

}  // namespace

TEST_CASE("two machines' files merge without a loss, also with a conflict's marks in them") {
  const auto root = folder_with(
      "<<<<<<< HEAD\n02.c passed\n01.a hints 3\n01.b skipped\n=======\n# mine\n01.b passed\n"
      "01.a hints 2\n02.c passed\r\n>>>>>>> other passed\n# mine\n");
  course::Progress progress(root);
  CHECK(progress.passed(exercise(1, "b")));
  CHECK_FALSE(progress.skipped(exercise(1, "b")));  // another machine has checked it
  CHECK(progress.hints_seen(exercise(1, "a")) == 3);
  progress.save();
  const std::string sorted = kHeader + "# mine\n01.a hints 3\n01.b passed\n02.c passed\n";
  CHECK(saved(root) == sorted);
  course::Progress(root).save();
  CHECK(saved(root) == sorted);
}

TEST_CASE("git merges the progress of two machines by itself") {
  const auto root = folder_with(kHeader + "01.a passed\n");
  course::fs::copy_file(course::fs::path(COURSE_SOURCE) / ".gitattributes",
                        root / ".gitattributes");
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", root.string(), "-c", "user.name=a", "-c",
                                 "user.email=a@b", "-c", "init.defaultBranch=main"});
    const course::Outcome outcome = course::run({words, {}, {}, {}});
    INFO(outcome.output);
    REQUIRE(outcome.exit_code == 0);
  };
  const auto commit = [&](const std::string& facts) {
    course::write_file(root / ".course" / "progress.txt", kHeader + facts);
    git({"add", "."});
    git({"commit", "-qm", "progress"});
  };
  git({"init", "-q"});
  commit("01.a passed\n");
  git({"checkout", "-qb", "other"});
  commit("01.a hints 2\n01.a passed\n01.b passed\n");
  git({"checkout", "-q", "main"});
  commit("01.a hints 1\n01.a passed\n02.c passed\n");
  git({"merge", "-q", "other"});
  course::Progress(root).save();
  CHECK(saved(root) == kHeader + "01.a hints 2\n01.a passed\n01.b passed\n02.c passed\n");
}

TEST_CASE("text that another process wrote in the meantime stays") {
  const auto root = folder_with("01.a passed\n01.b passed\n");
  course::Progress watching(root), typed(root);
  typed.set_hints_seen(exercise(2, "c"), 2);
  typed.save();
  watching.set_passed(exercise(1, "b"), false);
  watching.set_skipped(exercise(2, "d"));
  watching.save();
  CHECK(saved(root) == kHeader + "01.a passed\n02.c hints 2\n02.d skipped\n");
  typed.set_passed(exercise(2, "d"), true);
  typed.save();
  CHECK(saved(root) == kHeader + "01.a passed\n02.c hints 2\n02.d passed\n");
}
