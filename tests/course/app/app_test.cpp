// What all chapters' programs have in common: options, exit codes, Ctrl-C, the choice of a device.
#include <csignal>
#include <sstream>

#include "catch.h"
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

TEST_CASE("messages name the command that was typed, where ./course started the program") {
  const auto typed = [](const char* word) {
    return course::run(
               {{SAMPLE, word}, {{"COURSE_TYPED", "./course run 2"}}, std::chrono::seconds(60), {}})
        .output;
  };
  CHECK_THAT(typed("--help"), Catch::Contains("Usage: ./course run 2 [options]"));
  CHECK_THAT(typed("--bogus"), Catch::Contains("./course run 2: There is no option --bogus.") &&
                                   Catch::Contains("\n./course run 2 --help shows the options."));
}

TEST_CASE("a wrong option is an error with the option, what is expected and what to type") {
  const std::string largest = "99999999999999999999", digits(300, '9');
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--bogus"}, "There is no option --bogus."},
      {{"--epoch", "3"}, "There is no option --epoch; did you mean --epochs?"},
      {{"--batch=8"}, "There is no option --batch; did you mean --batch-size?"},
      {{"--ephocs=8"}, "There is no option --ephocs; did you mean --epochs?"},
      {{"--epochs", "-1"},
       "--epochs is \"-1\"; expected an integer of at least 1, for example --epochs 2."},
      {{"--epochs", "0"},
       "--epochs is \"0\"; expected an integer of at least 1, for example --epochs 2."},
      {{"--epochs=many"},
       "--epochs is \"many\"; expected an integer of at least 1, for example --epochs 2."},
      {{"--epochs", "3.5"},
       "--epochs is \"3.5\"; expected an integer of at least 1, for example --epochs 2."},
      {{"--epochs", ""},
       "--epochs is \"\"; expected an integer of at least 1, for example --epochs 2."},
      {{"--seed", "-1"},
       "--seed is \"-1\"; expected an integer of at least 0, for example --seed 1."},
      {{"--seed", digits},
       "--seed is \"" + digits.substr(0, 40) +
           "...\"; expected an integer of at most 18446744073709551615, for example --seed 1."},
      {{"--width", largest},
       "--width is \"" + largest +
           "\"; expected an integer of at most 9223372036854775807, for example --width 3."},
      {{"--width", "-" + largest},
       "--width is \"-" + largest +
           "\"; expected an integer of at least -9223372036854775808, for example --width 3."},
      {{"--steps", "0"},  // its default, which means that it was left out
       "--steps is \"0\"; expected an integer of at least 1, for example --steps 1."},
      {{"--rate", "fast"}, "--rate is \"fast\"; expected a finite number, for example --rate 0.5."},
      {{"--rate", "nan"}, "--rate is \"nan\"; expected a finite number, for example --rate 0.5."},
      {{"--rate", "1e999"},
       "--rate is \"1e999\"; expected a finite number, for example --rate 0.5."},
      {{"--layout", "ncwh"},
       "--layout is \"ncwh\"; expected one of nchw, nhwc (did you mean nchw?), "
       "for example --layout nchw."},
      {{"--layout", "rows"},
       "--layout is \"rows\"; expected one of nchw, nhwc, for example --layout nchw."},
      {{"--trace"}, "--trace needs a value, for example --trace FILE."},
      {{"--seed"}, "--seed needs a value, for example --seed 1."},
      {{"--epochs="}, "--epochs needs a value, for example --epochs 2."},
      {{"--trace", "--mine"}, "--trace needs a value before --mine, for example --trace FILE."},
      {{"--epochs", "1", "--epochs", "2"},
       "--epochs was given 2 times, as \"1\" and \"2\"; give it once."},
      {{"--loud=no"}, "--loud takes no value; write --loud, or leave it out."},
      {{"extra"},
       "\"extra\" was not expected: there are options only, and their names begin with --."}};
  for (const auto& [words, message] : cases) {
    const Outcome outcome = sample(words);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.output ==
          "ch97_sample: " + message + "\nch97_sample --help shows the options.\n");
  }
}

TEST_CASE("help shows the program's own defaults, and fits into the terminal") {
  for (const std::size_t width : {40, 80, 200}) {
    const Outcome help = course::run(
        {{SAMPLE, "--help"}, {{"COLUMNS", std::to_string(width)}}, std::chrono::seconds(60), {}});
    INFO(help.output);
    CHECK(help.exit_code == 0);
    // The program sets 2 after it has declared the option.
    CHECK_THAT(help.output, Catch::Contains("(default: 2)") && !Catch::Contains("(default: 0)"));
    std::istringstream lines(help.output);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= width);
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

TEST_CASE("the device is printed in one line, a missing device is an error") {
  const Outcome chosen = sample({"--do", "devices"});
  CHECK(chosen.exit_code == 0);
  CHECK_THAT(chosen.output,
             Catch::StartsWith("device: sim:0 (no GPU") || Catch::StartsWith("device: cuda:0 ("));
  CHECK(sample({"--do", "devices", "--device", "cpu"}).output == "device: cpu\n");
  CHECK(sample({"--do", "devices", "--devices", "sim:0,sim:1"}).output ==
        "device: sim:0\ndevice: sim:1\n");
  for (const char* missing : {"sim:99", "cuda:99"}) {
    const Outcome refused = sample({"--do", "devices", "--device", missing});
    INFO(missing << ": " << refused.output);
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.output, Catch::StartsWith("ch97_sample: "));
  }
}

TEST_CASE(
    "a text that names no device is wrong usage, also where the program does not ask for it") {
  for (const std::string option : {"--device", "--devices"})
    for (const std::string wrong : {"gpu", "tpu", "sim:-1", "sim:x", ""}) {
      const Outcome refused = sample({option, wrong});
      INFO(option << ' ' << wrong << ": " << refused.output);
      CHECK(refused.exit_code == 2);
      CHECK_THAT(refused.output, Catch::StartsWith("ch97_sample: " + option + ": "));
    }
  CHECK_THAT(sample({"--device", "gpu"}).output, Catch::Contains("did you mean \"cuda:0\"?"));
}

TEST_CASE("images that cannot be written are an error that names the directory") {
  const Outcome refused = course::run({{PICTURES, "--data", SAMPLE}, {}, {}, {}});
  INFO(refused.output);
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.output, Catch::StartsWith("course-data: ") && Catch::Contains("app_sample"));
  CHECK(course::run({{PICTURES, "--epochs", "3"}, {}, {}, {}}).exit_code == 2);
}
