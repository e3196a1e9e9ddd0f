// What comes next: in the whole course, and after an exercise that has just passed.
#include "progress.h"

#include <catch2/catch.hpp>

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
  CHECK(after(chapter[1]) == "e");
  CHECK(after(chapter[2]) == "c");
  CHECK(after(chapter[0]) == "a");  // the chapter is finished
  CHECK(after(course.chapters[0].exercises[0]) == "b");
  CHECK(after(course.chapters[0].exercises[1]) == "none");
}
