// A program as chapters have one, whose body does what a test asks of it with --do.
#include <csignal>
#include <iostream>

#include "app/app.h"
#include "td/base/error.h"
#include "td/exercise.h"

namespace {

/// Ctrl-C in the middle of step 2, `presses` times.
void train(const app::Options& options, int presses) {
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch)
    for (int step = 1; step <= 3; ++step) {
      if (app::stop_requested()) throw app::Stopped("epoch 1, step " + std::to_string(step - 1));
      for (int i = 0; step == 2 && i < presses; ++i) std::raise(SIGINT);
      std::cout << "epoch " << epoch << " step " << step << " done\n";
    }
}

}  // namespace

int main(int argc, char** argv) {
  std::string deed = "nothing", layout = "nchw";
  std::int64_t width = 3, steps = 0;
  double rate = 0.5;
  bool loud = false;
  app::Command command("ch97_sample", "A sample program.");
  command.takes({"devices", "epochs", "batch-size", "seed", "data"});
  command.option("--do", deed, "what to do")
      .option("--width", width, "a number")
      .option("--steps", steps, "how many", 1);
  command.option("--rate", rate, "another")
      .choice("--layout", layout, {"nchw", "nhwc"}, "of images")
      .flag("--loud", loud, "a switch");
  command.options.epochs = 2;
  return command.run(argc, argv, [&](const app::Options& options) {
    if (deed == "error") td::fail<td::ShapeError>("add: sizes [2] and [3]");
    if (deed == "stub") td::not_done_yet("scatter");
    if (deed == "cannot") throw app::CannotRunHere("this needs two GPUs; there is none");
    if (deed == "devices") app::choose_devices(options);
    if (deed == "train") train(options, 0);
    if (deed == "interrupt") train(options, 1);
    if (deed == "interrupt twice") train(options, 2);
    if (deed == "show")
      std::cout << options.epochs << ' ' << options.batch_size << ' ' << options.seed << ' '
                << options.data << ' ' << width << ' ' << rate << ' ' << loud << '\n';
  });
}
