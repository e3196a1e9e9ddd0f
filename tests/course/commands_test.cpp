// hint, reset and solution: what a learner sees, hint by hint and text by text.
#include "tool.h"

using course::Learner;
using course::Outcome;

namespace {

/// The line of `text` that begins with `start`, without it.
std::string line_after(const std::string& text, const std::string& start) {
  const auto at = text.find(start);
  if (at == std::string::npos) return "";
  const auto begin = at + start.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

const std::string kRestore = "\n  ./course reset --restore ";

}  // namespace

TEST_CASE("hints come level by level, and say what is left") {
  const Learner learner;
  CHECK(learner.types({"hint"}).output ==
        "91.double_all: Double every element\n"
        "A nudge, hint 1 of 2: One loop is enough.\n"
        "1 hint is left. The next one: ./course hint 91.double_all --level 2\n");
  const std::string last =
      "91.double_all: Double every element\n"
      "Nearly the answer, hint 2 of 2: Write out[i] = 2 * in[i] for every i.\n"
      "That was the last hint. Read on:\n"
      "  the task: chapters/91_warm_up/exercises/exercises.h\n"
      "  the solution, next to yours: ./course solution 91.double_all --anyway\n";
  CHECK(learner.types({"hint"}).output == last);
  CHECK(learner.types({"hint"}).output == last);
  // Looking back forgets nothing.
  CHECK_SAYS(learner.types({"hint", "--level", "1"}), "A nudge, hint 1 of 2: One loop");
  CHECK(learner.types({"hint"}).output == last);
}

TEST_CASE("all hints at once count as seen, and a lesson is named where there is one") {
  const Learner learner;
  course::write_file(learner.root() / "chapters/91_warm_up/README.md", "# A lesson\n");
  const Outcome all = learner.types({"hint", "running_sum", "--all"});
  CHECK_SAYS(all, "A nudge, hint 1 of 2: ");
  CHECK_SAYS(all, "Nearly the answer, hint 2 of 2: ");
  CHECK_SAYS(all, "the lesson, section \"How it works\": chapters/91_warm_up/README.md");
  CHECK(
      course::read_file(learner.root() / ".course/progress.txt").find("91.running_sum hints 2\n") !=
      std::string::npos);
}

TEST_CASE("reset keeps the learner's text every time, and one command brings it back") {
  const Learner learner;
  const std::string shipped = course::read_file(learner.file("double_all"));
  learner.writes("double_all", "first\n");
  const Outcome first = learner.types({"reset", "91.double_all"});
  CHECK_SAYS(first, "Your text is kept in .course/backup/91.double_all.");
  CHECK_SAYS(first, "chapters/91_warm_up/exercises/double_all.cpp is the stub again.");
  CHECK(course::read_file(learner.file("double_all")) == shipped);
  learner.writes("double_all", "second\n");
  const Outcome second = learner.types({"reset", "91.double_all"});
  CHECK_SAYS(learner.types({"reset", "91.double_all"}), "is the stub already; nothing to do.");

  CHECK_SAYS(learner.types({"reset", "--restore", line_after(first.output, kRestore)}),
             "chapters/91_warm_up/exercises/double_all.cpp is that text again.");
  CHECK(course::read_file(learner.file("double_all")) == "first\n");
  const Outcome other = learner.types({"reset", "--restore", line_after(second.output, kRestore)});
  CHECK(course::read_file(learner.file("double_all")) == "second\n");
  // The text that a restore replaces is kept like any other.
  learner.types({"reset", "--restore", line_after(other.output, kRestore)});
  CHECK(course::read_file(learner.file("double_all")) == "first\n");
}

TEST_CASE("kept texts are listed as commands, and an empty list says why") {
  const Learner learner;
  CHECK(learner.types({"reset", "--list"}).output ==
        "No text is kept yet; ./course reset keeps what it replaces.\n");
  learner.writes("running_sum", "mine\n");
  const Outcome reset = learner.types({"reset", "running_sum"});
  const std::string kept = line_after(reset.output, kRestore);
  CHECK(learner.types({"reset", "--list"}).output == "./course reset --restore " + kept + "\n");
  CHECK_SAYS(learner.types({"reset", "--list", "double_all"}), "No text is kept yet");
}

TEST_CASE("reset of a whole chapter needs --yes") {
  const Learner learner;
  learner.writes("double_all", "first\n");
  learner.writes("running_sum", "second\n");
  CHECK(learner.types({"reset", "91"}).exit_code == 2);
  CHECK(course::read_file(learner.file("double_all")) == "first\n");
  const Outcome reset = learner.types({"reset", "91", "--yes"});
  CHECK(reset.exit_code == 0);
  CHECK_SAYS(reset, "double_all.cpp is the stub again.");
  CHECK_SAYS(reset, "running_sum.cpp is the stub again.");
}

TEST_CASE("on a terminal, reset of a whole chapter asks first") {
  const Learner learner;
  // `script` gives the tool a terminal, and types what it reads itself.
  const auto answered = [&](const std::string& answer) {
    const std::string command = std::string(COURSE_TOOL) + " --root " + learner.root().string() +
                                " --build " + COURSE_BUILD + " reset 91";
    return course::run(
        {{"sh", "-c", "echo " + answer + " | script -qec '" + command + "' /dev/null"},
         {},
         std::chrono::seconds(60),
         {}});
  };
  learner.writes("double_all", "mine\n");
  const Outcome refused = answered("n");
  CHECK(refused.exit_code == 1);
  CHECK_SAYS(refused, "Reset all 2 exercises of chapter 91? Your texts are kept. [y/N]");
  CHECK_SAYS(refused, "Nothing was changed.");
  CHECK(course::read_file(learner.file("double_all")) == "mine\n");
  const Outcome agreed = answered("y");
  CHECK(agreed.exit_code == 0);
  CHECK_SAYS(agreed, "double_all.cpp is the stub again.");
  CHECK(course::read_file(learner.file("double_all")) != "mine\n");
}

TEST_CASE("a reset forgets the pass, and a reset that changes nothing does not") {
  const Learner learner;
  course::write_file(learner.root() / ".course/progress.txt",
                     "91.double_all passed\n91.running_sum passed\n");
  learner.solves("double_all");
  learner.types({"reset", "91", "--yes"});
  CHECK_SAYS(learner.types({"list"}), "1 of 2 exercises passed");
}

TEST_CASE("a solution is the difference to the learner's file, after a pass or when insisted on") {
  const Learner learner;
  const Outcome refused = learner.types({"solution", "91.double_all"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.output ==
        "91.double_all is not passed yet. ./course hint 91.double_all gives a hint; ./course "
        "solution 91.double_all --anyway shows the solution.\n");
  const Outcome shown = learner.types({"solution", "91.double_all", "--anyway"});
  CHECK(shown.exit_code == 0);
  CHECK_SAYS(shown,
             "--- chapters/91_warm_up/exercises/double_all.cpp (yours)\n"
             "+++ solutions/91_warm_up/double_all.cpp (the solution)\n");
  CHECK_SAYS(shown, "\n-  td::not_done_yet(\"double_all\");\n+  for (std::size_t i = 0;");
  CHECK_SAYS(shown, "- is yours, + is the solution. ./course solution 91.double_all --anyway");
  CHECK_FALSE(course::says(shown, "// blank:"));
  CHECK_FALSE(course::says(shown, "\033["));
}

TEST_CASE("a solution without its marks, and a file that is the solution") {
  const Learner learner;
  const Outcome full = learner.types({"solution", "91.running_sum", "--anyway", "--full"});
  for (const char* mark : {"// blank:", "// end", "// solution only", "//!", "Your code here"})
    CHECK_FALSE(course::says(full, mark));
  CHECK_SAYS(full, "add(sums, x);  // push_back alone would copy more often");
  learner.writes("running_sum", full.output);
  CHECK(learner.types({"solution", "91.running_sum", "--anyway"}).output ==
        "chapters/91_warm_up/exercises/running_sum.cpp is the solution, letter for letter.\n");
  course::fs::remove(learner.file("running_sum"));
  CHECK(learner.types({"solution", "91.running_sum", "--anyway"}).output == full.output);
}
