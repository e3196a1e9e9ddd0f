// The learner's loop: edit, check, list; and that a broken file does not affect other exercises.
#include "os/start_process.h"
#include "tool.h"

using course::Learner;
using course::Outcome;

TEST_CASE("as cloned, the first exercise is not done yet") {
  const Learner learner;
  const Outcome first = learner.types({"check"});
  CHECK(first.exit_code == 1);
  CHECK_SAYS(first, "not done yet  91.double_all");
  CHECK_SAYS(first, "0 pass · 0 fail · 1 not done yet · 0 skipped");
  CHECK_SAYS(
      first,
      "Edit chapters/91_warm_up/exercises/double_all.cpp, then type ./course check 91.double_all.\n"
      "./course hint 91.double_all gives a hint.\n");
  CHECK_SAYS(
      learner.types({"check", "91.running_sum"}),
      "then type ./course check 91.running_sum.\n./course hint 91.running_sum gives a hint.\n");
}

TEST_CASE("a solved exercise passes, is remembered, and the next one follows") {
  const Learner learner;
  learner.solves("double_all");
  const Outcome solved = learner.types({"check", "91.double_all"});
  CHECK(solved.exit_code == 0);
  CHECK_SAYS(solved, "pass  91.double_all");
  CHECK_SAYS(learner.types({"list"}), "pass     91.double_all");
  CHECK_SAYS(
      learner.types({"list"}),
      "1 of 2 exercises passed, 3 min left.\nNext: chapters/91_warm_up/exercises/running_sum.cpp,");
  CHECK_SAYS(learner.types({"check"}), "not done yet  91.running_sum");
  CHECK(learner.types({"solution", "91.double_all"}).exit_code == 0);
  learner.solves("running_sum");
  const Outcome all = learner.types({"check", "--all"});
  CHECK(all.exit_code == 0);
  CHECK_SAYS(all, "2 pass · 0 fail · 0 not done yet · 0 skipped");
  CHECK_SAYS(learner.types({"check", "91"}), "\nAll exercises are passed.\n");
  CHECK_SAYS(all, "This machine did not check:\n  91.running_sum: the fixture skips this part");
  CHECK_SAYS(learner.types({"check"}), "All exercises are passed.");
}

TEST_CASE("a pass is forgotten when the exercise fails again") {
  const Learner learner;
  learner.solves("double_all");
  learner.types({"check"});
  learner.writes("double_all",
                 "#include \"exercises.h\"\nvoid double_all(const "
                 "std::vector<float>&, std::vector<float>&) {}\n");
  const Outcome wrong = learner.types({"check", "91.1"});
  CHECK(wrong.exit_code == 1);
  CHECK_SAYS(wrong, "fail  91.double_all");
  CHECK_SAYS(wrong, "every element is doubled, whatever the size  (tests/chapters/91_warm_up/");
  CHECK_SAYS(wrong, "index 0: expected 1, got -7e+33: this element was never written");
  CHECK_SAYS(learner.types({"list"}), "0 of 2 exercises passed");
}

TEST_CASE("a chapter in which one exercise no longer passes is not complete") {
  const Learner learner;
  const std::string no_text = "#include \"exercises.h\"\n";
  learner.solves("double_all");
  learner.solves("running_sum");
  CHECK_SAYS(learner.types({"check", "91"}), "is complete");
  learner.writes("double_all", no_text);
  learner.types({"check", "91.double_all"});
  learner.solves("double_all");
  learner.writes("running_sum", no_text);
  const Outcome half = learner.types({"check", "91"});
  CHECK_SAYS(half, "1 pass · 1 fail");
  CHECK_SAYS(half, "then type ./course check 91.running_sum");
  CHECK(half.output.find("is complete") == std::string::npos);
}

TEST_CASE("an exercise or a chapter may be named by its path") {
  const Learner learner;
  for (const std::string path : {"chapters/91_warm_up/exercises/running_sum.cpp",
                                 "./chapters/91_warm_up/exercises/running_sum.cpp",
                                 "running_sum.cpp", "91/running_sum", "91_warm_up/running_sum"})
    CHECK_SAYS(learner.types({"hint", path, "--level", "1"}), "91.running_sum: Sum up as you go");
  for (const std::string path : {"chapters/91_warm_up", "./chapters/91_warm_up/", "91_warm_up"})
    CHECK_SAYS(learner.types({"check", path}), "0 pass · 0 fail · 2 not done yet");
}

TEST_CASE("half a solution is not done yet") {
  const Learner learner;
  learner.writes("running_sum",
                 "#include \"exercises.h\"\n#include \"td/exercise.h\"\n"
                 "std::vector<float> running_sum(const std::vector<float>& in) { return in; }\n"
                 "float total(const std::vector<float>&) { td::not_done_yet(\"running_sum\"); }\n");
  const Outcome half = learner.types({"check", "running_sum"});
  CHECK(half.exit_code == 1);
  CHECK_SAYS(half, "not done yet  91.running_sum");
}

TEST_CASE("a file that does not compile shows the error and breaks nothing else") {
  const Learner learner;
  learner.solves("running_sum");
  learner.writes("double_all", "#include \"exercises.h\"\nint broken = \"text\";\n");
  const Outcome broken = learner.types({"check", "91"});
  CHECK(broken.exit_code == 1);
  CHECK_SAYS(broken, "it does not compile");
  CHECK_SAYS(broken, "chapters/91_warm_up/exercises/double_all.cpp:2:14: error:");
  CHECK_SAYS(broken, "pass  91.running_sum");
  const Outcome proof = learner.types({"prove", "91", "--no-build"});
  CHECK(proof.exit_code == 0);
  CHECK_SAYS(proof, "14 passed, 0 failed, 0 skipped");
}

TEST_CASE("an exercise that calls another one is told that it cannot") {
  const Learner learner;
  learner.writes("double_all",
                 "#include \"exercises.h\"\nvoid double_all(const std::vector<float>& in, "
                 "std::vector<float>& out) { out = running_sum(in); }\n");
  CHECK_SAYS(learner.types({"check", "double_all"}),
             "  running_sum is not defined in this file, and each exercise is a library of its "
             "own: write here what you need of another exercise.\n");
  // A name of the core's namespace also stands in the header, but not as a function.
  learner.writes("double_all",
                 "#include \"exercises.h\"\nnamespace std { void mistaken(); }\n"
                 "void double_all(const std::vector<float>&, std::vector<float>&) { "
                 "std::mistaken(); }\n");
  const Outcome mistaken = learner.types({"check", "double_all"});
  CHECK_SAYS(mistaken, "undefined symbol: std::mistaken()");
  CHECK(mistaken.output.find("not defined in this file") == std::string::npos);
}

TEST_CASE("a function that the file lacks is named, and so is one that does not return") {
  const Learner learner;
  const std::string expected =
      "  chapters/91_warm_up/exercises/running_sum.cpp does not define "
      "running_sum(std::vector<float, "
      "std::allocator<float> > const&); compare it with exercises.h, or type ./course reset "
      "91.running_sum\n0 pass";
  for (const std::string text :
       {"",
        "#include \"exercises.h\"\nstd::vector<float> running_sum(std::vector<float>& in) { "
        "return in; }\nfloat total(const std::vector<float>&) { return 0; }\n"}) {
    learner.writes("running_sum", text);
    CHECK_SAYS(learner.types({"check", "91.running_sum"}), expected);
  }
  learner.writes("running_sum",
                 "#include \"exercises.h\"\nstd::vector<float> running_sum(const "
                 "std::vector<float>&) {}\nfloat total(const std::vector<float>&) { return 0; }\n");
  CHECK_SAYS(
      learner.types({"check", "91.running_sum"}),
      "it does not compile:\nchapters/91_warm_up/exercises/running_sum.cpp:2:60: error: no return "
      "statement in function returning non-void [-Werror=return-type]");
}

TEST_CASE("an older file that is restored is judged, not the newer build") {
  const Learner learner;
  learner.writes("double_all",
                 "#include \"exercises.h\"\nvoid double_all(const "
                 "std::vector<float>&, std::vector<float>&) {}\n");
  const auto kept = learner.root() / "kept.cpp";
  course::fs::rename(learner.file("double_all"), kept);
  learner.solves("double_all");
  CHECK_SAYS(learner.types({"check", "91.double_all"}), "pass  91.double_all");
  course::fs::rename(kept, learner.file("double_all"));
  CHECK_SAYS(learner.types({"check", "91.double_all"}), "fail  91.double_all");
  // Also where the library of what came between was taken away, because it did not compile.
  course::fs::rename(learner.file("double_all"), kept);
  learner.solves("double_all");
  CHECK_SAYS(learner.types({"check", "91.double_all"}), "pass  91.double_all");
  learner.writes("double_all", "does not compile\n");
  CHECK_SAYS(learner.types({"run", "91", "--mine"}), "91.double_all does not compile");
  course::fs::rename(kept, learner.file("double_all"));
  CHECK_SAYS(learner.types({"check", "91.double_all"}), "fail  91.double_all");
}

TEST_CASE("the last exercise of a chapter ends it with a summary") {
  const Learner learner;
  course::write_file(learner.root() / "chapters" / "91_warm_up" / "README.md",
                     "# Warm up\n\n**You will build** two loops\nand a sum. You will also rest.\n");
  learner.solves("running_sum");
  const Outcome one = learner.types({"check", "91"});
  CHECK_FALSE(course::says(one, "is complete"));
  // After several, the advice is on the first one that did not pass.
  CHECK_SAYS(
      one,
      "Edit chapters/91_warm_up/exercises/double_all.cpp, then type ./course check 91.double_al");
  learner.solves("double_all");
  const Outcome last = learner.types({"check"});
  CHECK(last.exit_code == 0);
  CHECK_SAYS(last,
             "Chapter 91, Warm up, is complete: 2 exercises, planned for 5 minutes.\n"
             "You have built two loops and a sum.\n"
             "Run the chapter's program with your code: ./course run 91 --mine\n"
             "Then measure: \"Measure it\" in chapters/91_warm_up/README.md.\n"
             "This was the last chapter. ./course list shows what is open.\n");
  const Outcome again = learner.types({"check", "91"});
  CHECK_SAYS(again, "2 pass");
  CHECK_FALSE(course::says(again, "is complete"));
  const auto file = learner.root() / "chapters" / "course.toml";
  course::write_file(file, course::read_file(file) +
                               "\n[[chapter]]\nnumber = 92\nfolder = \"92_next\"\n"
                               "title = \"Cool down\"\nminutes = 7\n");
  course::fs::remove(learner.root() / ".course" / "progress.txt");
  CHECK_SAYS(learner.types({"check", "91"}),
             "Next: chapter 92, Cool down, 7 minutes: chapters/92_next/README.md\n");
}

TEST_CASE("a file that was deleted can be restored") {
  const Learner learner;
  course::fs::remove(learner.file("double_all"));
  const Outcome missing = learner.types({"check"});
  CHECK_SAYS(
      missing,
      "\n  chapters/91_warm_up/exercises/double_all.cpp is missing; ./course reset 91.double_all "
      "brings it back\n");
  CHECK_FALSE(course::says(missing, "Edit "));
  CHECK_SAYS(learner.types({"run", "91", "--mine"}),
             "chapters/91_warm_up/exercises/double_all.cpp is missing (./course reset "
             "91.double_all brings "
             "it back); the course's own is used in its place.\n");
  CHECK_SAYS(learner.types({"list"}), "missing  91.double_all");
  CHECK(learner.types({"reset", "double_all"}).exit_code == 0);
  CHECK_SAYS(learner.types({"check"}), "not done yet  91.double_all");
}

TEST_CASE("an exercise whose solution is a kernel has a file named .cu") {
  const Learner learner;
  const course::fs::path solutions = learner.root() / "solutions" / "91_warm_up";
  course::fs::rename(solutions / "double_all.cpp", solutions / "double_all.cu");
  const course::fs::path kernel =
      learner.root() / "chapters" / "91_warm_up" / "exercises" / "double_all.cu";
  CHECK_SAYS(learner.types({"list"}), "missing  91.double_all");
  CHECK_SAYS(learner.types({"reset", "91.double_all"}),
             "chapters/91_warm_up/exercises/double_all.cu is the stub again");
  CHECK(course::read_file(kernel).find("td::not_done_yet(\"double_all\")") != std::string::npos);
  course::write_file(kernel, "// mine\n");
  CHECK(learner.types({"reset", "91.double_all"}).exit_code == 0);
  const course::fs::directory_iterator backups(learner.root() / ".course" / "backup");
  CHECK(backups->path().extension() == ".cu");
  CHECK_SAYS(learner.types({"solution", "91.double_all", "--anyway", "--full"}), "// double_all");
}

TEST_CASE("debug stops in the learner's function, in the first test that does not pass") {
  if (td::find_program("gdb").empty()) {
    WARN("there is no gdb here");
    return;
  }
  const Learner learner;
  const Outcome first = learner.types({"debug"});
  CHECK_SAYS(first, "not done yet  91.double_all");
  CHECK_SAYS(first, "chapters/91_warm_up/exercises/double_all.cpp:");
  // Right for the numbers of the first test, wrong for none.
  learner.writes("running_sum",
                 "#include \"exercises.h\"\n"
                 "std::vector<float> running_sum(const std::vector<float>& in) {\n"
                 "  return in.empty() ? std::vector<float>{0} : std::vector<float>{1, 3, 6};\n"
                 "}\n"
                 "float total(const std::vector<float>&) { return 6; }\n");
  const Outcome stopped = learner.types({"debug", "91.running_sum"});
  CHECK_SAYS(stopped, "fail  91.running_sum");
  CHECK_SAYS(stopped, "gdb stops at your functions in the test that fails.");
  CHECK_SAYS(stopped, "running_sum (in=std::vector of length 0, capacity 0)");
}
