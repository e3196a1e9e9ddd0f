// --help of every command of the tool, at three widths; and which name a misspelled one suggests.
#include "app/option_parser.h"
#include "tool.h"

using course::Outcome;

namespace {

Outcome tool(std::vector<std::string> words, std::size_t width) {
  words.insert(words.begin(), COURSE_TOOL);
  return course::run({words, {{"COLUMNS", std::to_string(width)}}, std::chrono::seconds(60), {}});
}

/// The first words of the lines after "Commands:".
std::vector<std::string> commands() {
  std::istringstream lines(tool({"--help"}, 200).output);
  std::vector<std::string> found;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (listed && line.rfind("  ", 0) == 0) found.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "Commands:";
  }
  return found;
}

}  // namespace

TEST_CASE("every command answers --help with an example, in every width") {
  const auto all = commands();
  REQUIRE(all.size() >= 11);
  for (const auto& name : all) {
    for (const std::size_t width : {40, 80, 200}) {
      const Outcome help = tool({name, "--help"}, width);
      INFO(name << " at " << width << ":\n" << help.output);
      CHECK(help.exit_code == 0);
      CHECK(course::says(help, "Usage: ./course " + name));
      CHECK(course::says(help, "\nExample: ./course " + name));
      CHECK(course::widest(help.output) <= width);
    }
  }
}

TEST_CASE("help of run is the tool's without a chapter, and the program's with one") {
  const Outcome own = tool({"run", "--help"}, 80);
  CHECK_SAYS(own, "Usage: ./course run [chapter] [options]");
  const course::Learner learner;
  CHECK_SAYS(learner.types({"run", "91", "--help"}), "\n--help\n");
}

TEST_CASE("help of launch shows the order of its words, and what each value is") {
  const Outcome help = tool({"launch", "--help"}, 80);
  CHECK_SAYS(help, "Usage: ./course launch -n N CHAPTER|PROGRAM [OPTIONS]\n");
  for (const auto& name : commands()) {
    const Outcome any = tool({name, "--help"}, 200);
    INFO(name << any.output);
    CHECK_FALSE(course::says(any, " TEXT "));
    CHECK_FALSE(course::says(any, " without it"));
  }
}

TEST_CASE("a misspelled name suggests the nearest one") {
  const std::vector<std::string> names = {"--epochs", "--batch-size", "--seed", "--lr"};
  CHECK(app::nearest("--epoch", names) == "--epochs");
  CHECK(app::nearest("--ephocs", names) == "--epochs");
  CHECK(app::nearest("--sede", names) == "--seed");
  CHECK(app::nearest("--batch", names) == "--batch-size");
  CHECK(app::nearest("--rl", names) == "--lr");
  CHECK(app::nearest("-x", names).empty());
  CHECK(app::nearest("--device", names).empty());
  CHECK(app::nearest(std::string(1000, 'e'), names).empty());
  CHECK(app::nearest("", names).empty());
}
