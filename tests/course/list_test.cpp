// list: progress per chapter, marks, widths, and the JSON for editors.
#include "tool.h"

using course::Learner;
using course::Outcome;

namespace {

/// A course of two chapters, of which the first is done.
void add_done_chapter(const Learner& learner) {
  const auto toml = learner.root() / "chapters" / "course.toml";
  course::write_file(
      toml,
      "[[chapter]]\nnumber = 90\nfolder = \"90_done\"\n"
      "title = \"Done \\\"already\\\"\"\nminutes = 90\nneeds = \"two hands\"\n"
      "[[chapter.exercise]]\nname = \"only\"\ntitle = \"The only one\"\nminutes = 90\n" +
          course::read_file(toml));
  course::write_file(learner.root() / "chapters" / "90_done" / "exercises" / "only.cpp", "");
  course::write_file(learner.root() / ".course" / "progress.txt",
                     "90.only passed\n91.running_sum skipped\n");
}

using Environment = std::vector<std::pair<std::string, std::string>>;
const Environment kAscii = {{"COLUMNS", "80"}, {"LC_ALL", "C"}};

}  // namespace

TEST_CASE("chapters are compact but for the one in progress") {
  const Learner learner;
  add_done_chapter(learner);
  CHECK(learner.types({"list"}, kAscii).output ==
        "90  Done \"already\"  ####################  1 of 1    done\n"
        "91  Warm up         --------------------  0 of 2    5 min left\n"
        "      next     91.double_all   Double every element (2 min)\n"
        "      skipped  91.running_sum  Sum up as you go (3 min)\n"
        "1 of 3 exercises passed, 5 min left.\n"
        "Next: chapters/91_warm_up/exercises/double_all.cpp, then ./course check\n"
        "./course list N shows one chapter, ./course list --all shows every exercise.\n");
  const Outcome one = learner.types({"list", "90"}, kAscii);
  CHECK(one.output ==
        "90  Done \"already\"  ####################  1 of 1    done\n"
        "      needs two hands\n"
        "      pass     90.only         The only one (90 min)\n");
  CHECK_SAYS(learner.types({"list", "--all"}, kAscii), "pass     90.only");
}

TEST_CASE("a missing file says how to get it back, and passes come before skips") {
  const Learner learner;
  course::fs::remove(learner.file("double_all"));
  CHECK_SAYS(learner.types({"list"}, {{"COLUMNS", "200"}}),
             "missing  91.double_all   Double every element (2 min): ./course reset 91.double_all "
             "brings the file back");
}

TEST_CASE("everything passed leaves nothing to do") {
  const Learner learner;
  course::write_file(learner.root() / ".course" / "progress.txt",
                     "91.double_all passed\n91.running_sum passed\n");
  const Outcome done = learner.types({"list"}, kAscii);
  CHECK_SAYS(done, "91  Warm up  ####################  2 of 2    done\n2 of 2 exercises passed.\n");
  CHECK_FALSE(course::says(done, "Next:"));
}

TEST_CASE("a chapter is complete without its optional exercises") {
  const Learner learner;
  const auto toml = learner.root() / "chapters" / "course.toml";
  std::string text = course::read_file(toml);
  text.insert(text.find("hints", text.find("running_sum")), "optional = true\n");
  course::write_file(toml, text);
  CHECK_SAYS(learner.types({"list"}, kAscii),
             "91  Warm up  --------------------  0 of 2    2 min left\n"
             "      next     91.double_all   Double every element (2 min)\n"
             "               91.running_sum  Sum up as you go (3 min, optional)\n");
  learner.solves("double_all");
  const Outcome last = learner.types({"check"});
  CHECK_SAYS(last, "Chapter 91, Warm up, is complete: 1 exercise, planned for 5 minutes.\n");
  CHECK_SAYS(last, "It has optional exercises for more practice: ./course list 91\n");
  CHECK_SAYS(learner.types({"list"}, kAscii), "1 of 2    optional left\n");
  learner.solves("running_sum");
  const Outcome more = learner.types({"check", "running_sum"});
  CHECK_SAYS(more, "pass  91.running_sum");
  CHECK_FALSE(course::says(more, "is complete"));
  CHECK_SAYS(learner.types({"list"}, kAscii), "2 of 2 exercises passed.\n");
}

TEST_CASE("list and hint fit into every terminal, with and without UTF-8") {
  const Learner learner;
  add_done_chapter(learner);
  for (const std::size_t width : {40, 60, 72, 80, 200})
    for (const char* locale : {"C", "C.UTF-8"}) {
      const Environment terminal = {{"COLUMNS", std::to_string(width)}, {"LC_ALL", locale}};
      const Outcome all = learner.types({"list", "--all"}, terminal);
      INFO(width << ' ' << locale << '\n' << all.output);
      // A path is one word, and stays whole.
      CHECK(course::widest(all.output) <= std::max<std::size_t>(width, 45));
      CHECK(course::says(all, "░") == (std::string(locale) == "C.UTF-8"));
      const bool ascii = std::all_of(all.output.begin(), all.output.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
      CHECK(ascii == (std::string(locale) == "C"));
      CHECK(course::widest(learner.types({"hint", "--level", "1"}, terminal).output) <= width);
    }
}

TEST_CASE("the list as JSON is JSON, and says it all") {
  const Learner learner;
  add_done_chapter(learner);
  const auto file = learner.root() / "list.json";
  course::write_file(file, learner.types({"list", "--json"}).output);
  const std::string script =
      "import json, sys; d = json.load(open(sys.argv[1])); c = d['chapters']; "
      "print(d['passed'], d['exercises'], d['next'], c[0]['title'], c[0]['needs']); "
      "print(*[sorted(e.items()) for e in c[1]['exercises']], sep='\\n')";
  CHECK(
      course::run({{"python3", "-c", script, file.string()}, {}, {}, {}}).output ==
      "1 3 91.double_all Done \"already\" two hands\n"
      "[('file', 'chapters/91_warm_up/exercises/double_all.cpp'), ('hints', 2), ('hints_seen', 0), "
      "('id', '91.double_all'), ('minutes', 2), ('missing', False), ('name', 'double_all'), "
      "('optional', False), ('passed', False), ('skipped', False), ('title', 'Double every "
      "element')]\n"
      "[('file', 'chapters/91_warm_up/exercises/running_sum.cpp'), ('hints', 2), ('hints_seen', "
      "0), "
      "('id', '91.running_sum'), ('minutes', 3), ('missing', False), ('name', 'running_sum'), "
      "('optional', False), ('passed', False), ('skipped', True), ('title', 'Sum up as you "
      "go')]\n");
}
