// What all chapters' programs do alike: options, exit codes, Ctrl-C, the choice of a device.
#include <catch2/catch.hpp>
#include <csignal>

#include "process.h"

using course::Outcome;

namespace {

Outcome sample(std::vector<std::string> words) {
  words.insert(words.begin(), SAMPLE);
  return course::run({words, {{"TD_SIM_DEVICES", "2"}}, std::chrono::seconds(60), {}});
}

}  // namespace

TEST_CASE("defaults are the program's, options override them") {
  CHECK(sample({"--do", "show"}).output == "2 32 1  3 0.5 0\n");
  CHECK(sample({"--do", "show", "--epochs", "7", "--batch-size", "8", "--seed", "9", "--data", "d",
                "--width", "4", "--rate", "1.5", "--loud"})
            .output == "7 8 9 d 4 1.5 1\n");
  const Outcome help = sample({"--help"});
  CHECK(help.exit_code == 0);
  CHECK_THAT(help.output, Catch::Contains("A sample program.") && Catch::Contains("--batch-size"));
}

TEST_CASE("wrong usage is exit code 2 and points to --help") {
  const std::vector<std::vector<std::string>> cases = {
      {"--bogus"}, {"--epochs", "0"}, {"--epochs", "many"}, {"--trace"}, {"--seed"}};
  for (const auto& words : cases) {
    const Outcome outcome = sample(words);
    INFO(words[0] << ": " << outcome.output);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.output, Catch::Contains(words[0]) &&
                                   Catch::Contains("ch97_sample --help shows the options."));
  }
}

TEST_CASE("an error is one message and exit code 1") {
  const Outcome error = sample({"--do", "error"});
  CHECK(error.exit_code == 1);
  CHECK(error.output == "ch97_sample: add: sizes [2] and [3]\n");
  const Outcome stub = sample({"--do", "stub"});
  CHECK(stub.exit_code == 1);
  CHECK(stub.output == "not done yet: scatter. ./course check tells more.\n");
  CHECK(sample({"--do", "cannot"}).exit_code == 77);
  const Outcome mine = sample({"--mine"});
  CHECK(mine.exit_code == 1);
  CHECK_THAT(mine.output, Catch::Contains("./course run 97 --mine"));
}

TEST_CASE("Ctrl-C finishes the step, says what was done, and is exit code 130") {
  const Outcome outcome = sample({"--do", "interrupt"});
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.output ==
        "epoch 1 step 1 done\nepoch 1 step 2 done\nStopped by Ctrl-C after epoch 1, step 2.\n");
  CHECK(sample({"--do", "interrupt twice"}).signal == SIGINT);
  CHECK(sample({"--do", "train"}).exit_code == 0);
}

TEST_CASE("the device is told in one line, a missing one is refused") {
  const Outcome chosen = sample({"--do", "devices"});
  CHECK(chosen.exit_code == 0);
  CHECK_THAT(chosen.output,
             Catch::StartsWith("device: sim:0 (no GPU") || Catch::StartsWith("device: cuda:0 ("));
  CHECK(sample({"--do", "devices", "--device", "cpu"}).output == "device: cpu\n");
  CHECK(sample({"--do", "devices", "--devices", "sim:0,sim:1"}).output ==
        "device: sim:0\ndevice: sim:1\n");
  for (const char* wrong : {"tpu", "sim:99", "cuda:99", "sim:-1", "sim:x", ""}) {
    const Outcome refused = sample({"--do", "devices", "--device", wrong});
    INFO(wrong << ": " << refused.output);
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.output, Catch::StartsWith("ch97_sample: "));
  }
}

TEST_CASE("pictures that cannot be written are an error that names the folder") {
  const Outcome refused = course::run({{PICTURES, "--data", SAMPLE}, {}, {}, {}});
  INFO(refused.output);
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.output, Catch::StartsWith("course-data: ") && Catch::Contains("app_sample"));
  CHECK(course::run({{PICTURES, "--epochs", "3"}, {}, {}, {}}).exit_code == 2);
}
