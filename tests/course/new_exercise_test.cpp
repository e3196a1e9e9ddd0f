// new-exercise: its errors, and what it writes into existing files. The CTest entry
// promises_of_new_exercises tests that the result builds and is proven.
#include "author_text.h"
#include "tool.h"

using course::Learner;
using course::Outcome;

namespace {

const std::string kReadme =
    "# Chapter 91\n\n## Exercises\n\nText.\n\n| exercise | what you learn | minutes |\n"
    "|---|---|---|\n| `double_all` | a loop | 2 |\n\n## Measure it\n\n| exercise | no |\n";

}  // namespace

TEST_CASE("new-exercise rejects invalid arguments with a clear error, and writes nothing") {
  const Learner learner;
  const std::string before = course::read_file(learner.root() / "chapters/course.toml");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "Which exercise? ./course new-exercise 5.gather_rows"},
      {{"rows"}, "Expected a chapter's number, a dot and a name: ./course new-exercise 5.gather_"},
      {{"x.rows"}, "Expected a chapter's number, a dot and a name"},
      {{"7.rows"}, "There is no chapter 7; there are 91."},
      {{"91.double_all"}, "Chapter 91 has a \"double_all\" already; choose another name"},
      {{"91.total"}, "Chapter 91 has a \"total\" already"},  // a function of exercises.h
      {{"91."}, "\"\" cannot be an exercise's name"},
      {{"91.Rows"},
       "\"Rows\" cannot be an exercise's name: it becomes a C++ function, so expected "
       "are lower-case letters, digits and underscores, beginning with a letter: "
       "./course new-exercise 5.gather_rows"},
      {{"91.two-rows"}, "\"two-rows\" cannot be"},
      {{"91.2rows"}, "\"2rows\" cannot be"},
      {{"91.../rows"}, "\"../rows\" cannot be"},
      {{"91.class"}, "\"class\" is a name that C++ or the build has taken"},
      {{"91.main"}, "\"main\" is a name that"},
      {{"91.rows", "--title", "a \"b\""}, "A title has no quotes"},
      {{"91.rows", "--minutes", "0"}, "--minutes is \"0\"; expected an integer from 1 to 600, for"},
      {{"91.rows", "--kernel"},
       "There is no chapters/91_warm_up/exercises/kernels.h, so this chapter has no "
       "kernels; leave out --kernel"}};
  for (const auto& [words, text] : cases) {
    std::vector<std::string> typed = {"new-exercise"};
    typed.insert(typed.end(), words.begin(), words.end());
    const Outcome refused = learner.types(typed);
    CHECK(refused.exit_code == 2);
    CHECK_SAYS(refused, text);
  }
  CHECK(course::read_file(learner.root() / "chapters/course.toml") == before);
  CHECK_FALSE(course::fs::exists(learner.file("rows")));
}

TEST_CASE("a new exercise has all its files, and the learner's tool knows it") {
  const Learner learner;
  const auto readme = learner.root() / "chapters/91_warm_up/README.md";
  course::write_file(readme, kReadme);
  const Outcome made = learner.types(
      {"new-exercise", "91.largest_so_far", "--title", "The largest so far", "--minutes", "7"});
  INFO(made.output);
  REQUIRE(made.exit_code == 0);
  for (const char* file :
       {"solutions/91_warm_up/largest_so_far.cpp",
        "chapters/91_warm_up/exercises/largest_so_far.cpp",
        "chapters/91_warm_up/exercises/exercises.h", "chapters/91_warm_up/README.md",
        "chapters/course.toml", "tests/chapters/91_warm_up/largest_so_far_test.cpp",
        "tests/chapters/91_warm_up/right/largest_so_far.cpp",
        "tests/chapters/91_warm_up/wrong/largest_so_far.cpp"}) {
    CHECK(course::says(made, std::string("wrote ") + file + "\n"));
    CHECK(course::read_file(learner.root() / file).find("largest_so_far") != std::string::npos);
  }
  CHECK(course::says(made, "Prove it as it is:\n  ./course prove 91.largest_so_far\n"));
  CHECK_SAYS(learner.types({"list"}), "91.largest_so_far  The largest so far (7 min)");
  CHECK(course::read_file(readme).find(
            "| 2 |\n| `largest_so_far` | The largest so far | 7 |\n\n##") != std::string::npos);
  // The stub is the cut of the solution, and the author's remark is not in it.
  const std::string stub = course::read_file(learner.file("largest_so_far"));
  CHECK(stub.find("td::not_done_yet(\"largest_so_far\");") != std::string::npos);
  CHECK(stub.find("TODO") == std::string::npos);
  CHECK_SAYS(learner.types({"new-exercise", "91.largest_so_far"}), "already");
}

TEST_CASE("the entry is the last of its chapter") {
  const course::Chapter first{1, "01_a", "", 5, "", {}}, last{2, "02_b", "", 5, "", {}};
  const std::string toml =
      "[[chapter]]\nfolder = \"01_a\"\n\n[[chapter]]\nfolder = \"02_b\"\n\n[[chapter.exercise]]\n";
  CHECK(course::with_entry(toml, first, "new\n") ==
        "[[chapter]]\nfolder = \"01_a\"\n\nnew\n\n[[chapter]]\nfolder = \"02_b\"\n\n"
        "[[chapter.exercise]]\n");
  CHECK(course::with_entry(toml, last, "new\n") == toml + "\nnew\n");
  CHECK_THROWS_WITH(course::with_entry("", first, "new\n"),
                    "chapters/course.toml has no line  folder = \"01_a\"");
}

TEST_CASE("a page without a table of exercises gets no row") {
  course::Exercise e;
  e.name = "rows";
  CHECK(course::with_row("# Page\n\n## Exercises\n\nNone.\n", e).empty());
  CHECK(course::with_row("| exercise | a |\n", e).empty());
}
