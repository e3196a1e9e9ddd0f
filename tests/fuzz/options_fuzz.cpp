// Options of a chapter's program, one per line. The body runs with values in range, or the program
// says on stderr what is wrong and how to get help.
#include <iostream>
#include <sstream>

#include "app/app.h"
#include "fuzz.h"

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words = {"ch04_training_loop"};
  std::istringstream lines(text);
  for (std::string word; std::getline(lines, word) && words.size() < 32;)
    // --mine starts another program and --trace writes a file: neither is a parser's work.
    if (word.find("mine") == word.npos && word.find("trace") == word.npos) words.push_back(word);
  return words;
}

void check_values(const app::Options& options, const std::string& layout) {
  fuzz::expect(options.epochs > 0 && options.batch_size > 0, "counts are positive");
  fuzz::expect(layout == "nchw" || layout == "nhwc", "a choice is one of those offered");
  app::choose_devices(options);
}

// Keeps what the program prints.
struct Printed {
  std::ostringstream text;
  std::ostream& stream;
  std::streambuf* before;
  explicit Printed(std::ostream& out) : stream(out), before(out.rdbuf(text.rdbuf())) {}
  ~Printed() { stream.rdbuf(before); }
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words = words_of(fuzz::Input(data, size).rest());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string layout = "nchw";
  std::int64_t hidden = 8;
  double rate = 0.1;
  bool quiet = false, ran = false;
  app::Command command("ch04_training_loop", "Trains.");
  command.takes({"devices", "epochs", "batch-size", "seed", "data"})
      .choice("--layout", layout, {"nchw", "nhwc"}, "of images")
      .option("--hidden", hidden, "neurons")
      .option("--rate", rate, "learning rate")
      .flag("--quiet", quiet, "prints less");
  Printed out(std::cout), errors(std::cerr);
  const int code = command.run(static_cast<int>(words.size()), arguments.data(),
                               [&](const app::Options& options) {
                                 ran = true;
                                 check_values(options, layout);
                               });
  fuzz::expect(code == 0 || code == 1 || code == 2, "the exit code is one of those promised");
  fuzz::expect((code == 0) == errors.text.str().empty(), "a refusal is in words, success is not");
  fuzz::expect(ran == (code != 2) || (code == 0 && !out.text.str().empty()),
               "the body runs unless the usage is wrong or help was asked for");
  return 0;
}
