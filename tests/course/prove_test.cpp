// The planted faults: a proof that cannot fail proves nothing.
#include "tool.h"

using course::Learner;
using course::Outcome;

TEST_CASE("the proof of one exercise builds no other") {
  const course::Outcome commands = course::run(
      {{"ninja", "-C", COURSE_BUILD, "-t", "commands", "exercise_ch91_double_all"}, {}, {}, {}});
  CHECK(commands.exit_code == 0);
  for (const char* part :
       {"answers_ch91_double_all", "solutions/91_warm_up/double_all.cpp", "stubs/91_warm_up"})
    CHECK_SAYS(commands, part);
  CHECK_FALSE(course::says(commands, "running_sum"));
}

TEST_CASE("every planted fault turns the proof red") {
  const Outcome proof = course::run({{COURSE_TOOL, "--root", COURSE_PLANTED, "--build",
                                      COURSE_BUILD, "prove", "99", "--no-build"},
                                     {{"TD_CHECK_TIME_LIMIT", "4"}},
                                     {},
                                     {}});
  CHECK(proof.exit_code == 1);
  CHECK_SAYS(proof, "fail     99.broken_solution: the solution passes");
  CHECK_SAYS(proof, "broken_solution(1): index 0: expected 2, got 0");
  CHECK_SAYS(proof, "fail     99.broken_solution: the wrong answer is_right is rejected");
  CHECK_SAYS(proof, "fail     99.broken_solution: the wrong answer says_something_else is");
  CHECK_SAYS(proof, "\"a text that is never printed\" was not printed");
  CHECK_SAYS(proof, "fail     99.broken_solution: the wrong answer says_nothing is rejected");
  CHECK_SAYS(proof, "fail     99.broken_solution: the wrong answer crashes is rejected");
  CHECK_SAYS(proof, "the program crashed: killed");
  CHECK_SAYS(proof, "fail     99.broken_solution: the wrong answer never_ends is rejected");
  CHECK_SAYS(proof, "did not finish within 4 s");
  CHECK_SAYS(proof, "1 hints in course.toml; at least 2 are needed");
  CHECK_SAYS(proof, "1 wrong answers in");
  CHECK_SAYS(proof, "0 right answers in");
  CHECK_SAYS(proof, "unlisted.cpp\n  chapters/course.toml does not list this exercise");
  CHECK_SAYS(proof, "fail     99.weak_tests: the right answer is_wrong passes");
  // The proof is not misled by other faults: a stub of an exercise with a weak test is still seen.
  CHECK_SAYS(proof, "pass     99.weak_tests: the stub says it is not done yet");
  CHECK_SAYS(proof, "pass     99.weak_tests: the wrong answer stops_the_program is rejected");
  CHECK_SAYS(proof, "4 passed, 10 failed, 0 skipped");
}

TEST_CASE("an answer that is not announced is an error, because nothing would judge it") {
  const Learner learner;
  const auto path = learner.root() / "tests/chapters/91_warm_up/right/double_all.cpp";
  course::write_file(path, course::read_file(path) + "\nnamespace unnoticed {\n}\n");
  const Outcome proof = learner.types({"prove", "91", "--no-build"});
  CHECK(proof.exit_code == 1);
  CHECK_SAYS(proof,
             "right/double_all.cpp: expected the line  // answer: <name>  before  namespace "
             "unnoticed {");
}

TEST_CASE("prove --solutions judges nothing else") {
  const Outcome proof = course::run({{COURSE_TOOL, "--root", COURSE_PLANTED, "--build",
                                      COURSE_BUILD, "prove", "99", "--solutions", "--no-build"},
                                     {},
                                     {},
                                     {}});
  CHECK_SAYS(proof, "fail     99.broken_solution: the solution passes");
  CHECK_SAYS(proof, "1 passed, 1 failed, 0 skipped");
}

TEST_CASE("stubs are compared with the cut in CI only, and by what git holds") {
  const Learner learner;
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", learner.root().string()});
    return course::run({words, {}, {}, {}}).exit_code;
  };
  REQUIRE(git({"init", "-q"}) == 0);
  REQUIRE(git({"add", "."}) == 0);
  const std::vector<std::string> check = {
      "env", "-u", "CI", COURSE_TOOL, "--root", learner.root().string(), "cut", "--check"};
  CHECK(course::run({check, {}, {}, {}}).exit_code == 77);
  CHECK(learner.types({"cut", "--check"}, {{"CI", "1"}}).exit_code == 0);
  learner.solves("double_all");
  CHECK(learner.types({"cut", "--check"}, {{"CI", "1"}}).exit_code == 0);
  REQUIRE(git({"add", "."}) == 0);
  const Outcome drifted = learner.types({"cut", "--check"}, {{"CI", "1"}});
  CHECK(drifted.exit_code == 1);
  CHECK_SAYS(drifted, "fail  chapters/91_warm_up/exercises/double_all.cpp");
}
