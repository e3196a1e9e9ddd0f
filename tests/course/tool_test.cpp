// What the tool prints for bad input and for programs that misbehave, and what it passes through.
#include "tool.h"

using course::Learner;
using course::Outcome;

namespace {
const std::string kEndless =
    "#include <unistd.h>\n#include \"exercises.h\"\n"
    "void double_all(const std::vector<float>&, std::vector<float>&) { while (true) pause(); }\n";
const std::string kKilled =
    "#include <csignal>\n#include \"exercises.h\"\n"
    "void double_all(const std::vector<float>&, std::vector<float>&) { std::raise(SIGKILL); }\n";
}  // namespace

TEST_CASE("wrong usage is exit code 2 and names what to type") {
  const Learner learner;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "./course --help"},
      {{"check", "91.nothing"}, "There is no exercise \"91.nothing\"; there are: 91.double_all"},
      {{"check", "nothing"},
       "There is no exercise \"nothing\". ./course list --all shows all names.\n"},
      {{"check", "91.duoble_all"},
       "There is no exercise \"91.duoble_all\"; did you mean 91.double_all?\n"},
      {{"check", "runing_sum"},
       "There is no exercise \"runing_sum\"; did you mean 91.running_sum?\n"},
      {{"check", "chapters/91_warm_up/nothing.cpp"},
       "There is no exercise \"chapters/91_warm_up/nothing.cpp\"; there are: 91.double_all"},
      {{"hint", "91"},
       "91 is a chapter; name one of its exercises: 91.double_all, 91.running_sum.\n"},
      {{"hint", "7"}, "There is no chapter 7; there are 91."},
      {{"check", "91", "double_all"},
       "The number and the name are one word: ./course check 91.double_all\n"},
      {{"hint", "91", "double_all", "--all"}, "one word: ./course hint 91.double_all\n"},
      {{"run", "--device", "sim", "2"}, "The number comes first: ./course run 2 --device sim\n"},
      {{"run", "--epochs", "3", "4"}, "The number comes first: ./course run 4 --epochs 3\n"},
      {{"run", "--mine", "--device", "sim"},
       "The number comes first: ./course run 4 --mine --device sim\n"},
      {{"check", "7.double_all"}, "There is no chapter 7; there are 91."},
      {{"check", "7"}, "There is no chapter 7"},
      {{"check", "91.3"}, "There is no exercise \"91.3\""},
      {{"check", "--bogus"}, "There is no option --bogus.\n./course check --help shows the opt"},
      {{"check", "--al"}, "There is no option --al; did you mean --all?"},
      {{"reset"}, "Which exercise? ./course reset 5.scatter"},
      {{"solution"}, "Which exercise?"},
      {{"check", "a", "b"},
       "\"b\" was not expected: there is one word too many.\n./course check --"},
      {{"chekc"}, "There is no command \"chekc\"; did you mean check?\n./course --help shows"},
      {{"docter"}, "There is no command \"docter\"; did you mean doctor?"},
      {{"hint", "--level", "0"},
       "--level is \"0\"; expected an integer from 1 to 99, for example --level 1."},
      {{"hint", "--level", "7"},
       "--level is \"7\"; 91.double_all has 2 hints: ./course hint 91.double_all --level 2"},
      {{"hint", "--level", "1", "--all"}, "--all shows every level; leave out --level, or --all."},
      {{"list", "one"}, "\"one\" is not the number of a chapter: ./course list 5"},
      {{"reset", "91"},
       "This resets all 2 exercises of chapter 91. If you mean it: ./course reset 91 --yes"},
      {{"reset", "--restore", "nothing"},
       "There is no kept text \"nothing\"; ./course reset --list"},
      {{"run"}, "Which chapter?"},
      {{"run", "four"}, "\"four\" is not the number of a chapter"},
      {{"run", "99999999999"}, "is not the number of a chapter"},
      {{"run", "5"}, "There is no chapter 5"}};
  for (const auto& [words, text] : cases) {
    const Outcome outcome = learner.types(words);
    CHECK(outcome.exit_code == 2);
    CHECK_SAYS(outcome, text);
  }
  const Outcome unknown = course::run({{COURSE_TOOL, "bogus"}, {}, {}, {}});
  CHECK(unknown.exit_code == 2);
  CHECK_SAYS(unknown, "There is no command \"bogus\".\n./course --help shows the commands.");
}

TEST_CASE("a damaged course.toml is named with its line") {
  const Learner learner;
  const auto file = learner.root() / "chapters" / "course.toml";
  course::write_file(file, "[[chapter]]\nnumber = \n");
  const Outcome broken = learner.types({"list"});
  CHECK(broken.exit_code == 1);
  CHECK_SAYS(broken, "course.toml, line 2");
  // Input that crashes the TOML library itself in a release build.
  course::write_file(file, "[[?]]\n");
  CHECK_SAYS(learner.types({"list"}), "course.toml: not TOML; is there a key in every pair of");
  course::write_file(file, "[[chapter\xc3\xa9]]\n");
  CHECK_SAYS(learner.types({"list"}), "course.toml, line 1");
  course::write_file(file, "[[chapter]]\nnumber = 91\n");
  CHECK_SAYS(learner.types({"list"}), "\"folder\" is missing");
  course::write_file(file, "");
  CHECK_SAYS(learner.types({"list"}), "no [[chapter]]");
  course::fs::remove(file);
  CHECK_SAYS(learner.types({"list"}), "cannot read");
}

TEST_CASE("damaged progress costs nothing but itself") {
  const Learner learner;
  course::write_file(learner.root() / ".course" / "progress.txt",
                     "rubbish\n91.double_all passed\n91.running_sum hints x\n\n\xff\n");
  CHECK_SAYS(learner.types({"list"}), "1 of 2 exercises passed");
}

TEST_CASE("a directory that cannot be written is named") {
  const Learner learner;
  course::write_file(learner.root() / ".course", "a file where a folder should be");
  const Outcome refused = learner.types({"hint"});
  CHECK(refused.exit_code == 1);
  CHECK_SAYS(refused, "cannot write");
  CHECK_SAYS(refused, ".course/progress.txt");
}

TEST_CASE("an exercise that never ends is ended") {
  const Learner learner;
  learner.writes("double_all", kEndless);
  const Outcome endless = learner.types({"check"}, {{"TD_CHECK_TIME_LIMIT", "1"}});
  CHECK(endless.exit_code == 1);
  CHECK_SAYS(endless,
             "did not finish within 1 s, in the test \"every element is doubled, whatever the "
             "size\"; is there an endless loop, or a thread that waits forever?\n");
}

TEST_CASE("an exercise that ends the process does not pass") {
  const Learner learner;
  for (const std::string call : {"std::exit(0)", "std::_Exit(0)", "std::quick_exit(0)",
                                 "std::exit(1)", "std::exit(3)", "std::exit(4)"}) {
    INFO(call);
    learner.writes("double_all",
                   "#include <cstdlib>\n#include \"exercises.h\"\nvoid double_all("
                   "const std::vector<float>&, std::vector<float>&) { " +
                       call + "; }\n");
    const Outcome ended = learner.types({"check", "91.double_all"});
    CHECK(ended.exit_code == 1);
    CHECK_SAYS(ended, "fail  91.double_all");
    CHECK_SAYS(ended,
               "the program ended before its tests did, in the test \"every element is doubled, "
               "whatever the size\"; remove the call of exit\n");
  }
}

TEST_CASE("an exercise that prints much does not flood the screen") {
  const Learner learner;
  learner.writes("double_all",
                 "#include <cstdio>\n#include <cstdlib>\n#include \"exercises.h\"\n"
                 "void double_all(const std::vector<float>&, std::vector<float>&) {\n"
                 "  for (int i = 0; i < 1000; ++i) std::printf(\"line %d\\n\", i);\n"
                 "  for (int i = 0; i < 5000; ++i) std::printf(\"x\");\n  std::exit(9);\n}\n");
  const Outcome loud = learner.types({"check", "91.double_all"});
  CHECK_SAYS(loud, "line 39\n  ... 952 lines are left out here\nline 992\n");
  CHECK_SAYS(loud, "ended with exit code 9\n");
  CHECK(loud.output.size() < 3000);
}

TEST_CASE("a crash is reported by its name") {
  const Learner learner;
  learner.writes("double_all", kKilled);
  const Outcome killed = learner.types({"check"});
  CHECK(killed.exit_code == 1);
  CHECK_SAYS(killed,
             "the program crashed: killed, in the test \"every element is doubled, whatever the "
             "size\"\n");
  learner.writes("double_all",
                 "#include <csignal>\n#include \"exercises.h\"\nvoid double_all("
                 "const std::vector<float>&, std::vector<float>&) { std::raise(SIGSEGV); }\n");
  CHECK_SAYS(
      learner.types({"check"}),
      "segmentation fault, in the test \"every element is doubled, whatever the size\"; is "
      "an index out of bounds, is an object used after its end, or does a function call itself "
      "forever?\n");
}

TEST_CASE("run passes arguments and exit code through, and can use the learner's work") {
  const Learner learner;
  const Outcome plain = learner.types({"run", "91", "--one", "two"});
  CHECK(plain.exit_code == 5);
  CHECK_SAYS(plain, "2 4 6 6\n--one\ntwo\n");
  CHECK_SAYS(learner.types({"run", "91", "--help"}), "\n--help\n");
  CHECK_SAYS(learner.types({"run", "91"}, {{"WARM_UP_NAMES", "1"}}), "./course run 91\n2 4 6 6\n");
  // As check takes it: the folder, which a shell completes.
  CHECK(learner.types({"run", "chapters/91_warm_up/", "--one", "two"}).output == plain.output);
  CHECK(learner.types({"list", "chapters/91_warm_up"}).output ==
        learner.types({"list", "91"}).output);
  CHECK(learner.types({"run", "chapters/07_none"}).exit_code == 2);
  learner.writes("running_sum", "does not compile\n");
  const Outcome mine = learner.types({"run", "91", "--mine"});
  CHECK_SAYS(mine, "91.running_sum does not compile (./course check 91.running_sum shows why)");
  CHECK_SAYS(mine, "\n--mine\n");
}

TEST_CASE("a chapter's other programs go by their names, and --mine knows which of them to run") {
  const Learner learner;
  CHECK_SAYS(learner.types({"run", "91", "three", "--x"}), "three: 6\n--x\n");
  CHECK_SAYS(learner.types({"run", "91", "three"}, {{"WARM_UP_NAMES", "1"}}),
             "./course run 91 three\n");
  const Outcome unknown = learner.types({"run", "91", "tree"});
  CHECK(unknown.exit_code == 2);
  CHECK_SAYS(unknown,
             "Chapter 91 has no program \"tree\"; besides its main program it has: three.\n");
  CHECK_SAYS(learner.types({"run", "91", "--help"}),
             "Other programs of this chapter:  ./course run 91 three\n");
  CHECK_SAYS(learner.types({"list", "91"}), "./course run 91, ./course run 91 three\n");
  CHECK_SAYS(learner.types({"launch", "-n", "1", "91", "three"}), "three: 6\n");
  CHECK_SAYS(learner.types({"run", "91", "--mine"}), "2 4 6 6\n--mine\n");
  const course::fs::path file = learner.root() / "chapters/course.toml";
  std::string toml = course::read_file(file);
  toml.insert(toml.find("minutes = 5\n"), "mine = \"three\"\n");
  course::write_file(file, toml);
  CHECK_SAYS(learner.types({"run", "91", "--mine"}), "three: 6\n--mine\n");
}

TEST_CASE("the checker by itself: usage, an unknown tag, a skip") {
  const std::string checker = std::string(COURSE_BUILD) + "/chapters/check_ch91";
  CHECK(course::run({{checker}, {}, {}, {}}).exit_code == 2);
  const Outcome unknown = course::run({{checker, "[nothing]"}, {}, {}, {}});
  CHECK(unknown.exit_code == 1);
  CHECK_SAYS(unknown, "no test carries the tag [nothing]");
  const Outcome skip = course::run({{checker, "[only_skipped]"}, {}, {}, {}});
  CHECK(skip.exit_code == 4);
  CHECK_SAYS(skip, "skipped: the fixture skips this part everywhere");
}
