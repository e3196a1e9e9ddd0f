// Chapter 12, which device?: measures one network on the devices of this machine, states which
// device to use from which batch size on, and explains why.
#include "advise.h"
#include "app/app.h"

namespace {

void take_advising(app::Command& command, advising::Asked& asked) {
  command.option("--width", asked.width, "of the network's layers");
  command.option("--depth", asked.depth, "hidden layers of the network");
  command.option("--largest", asked.largest, "the largest batch");
  command.option("--runs", asked.runs, "how often each batch is timed, at most");
  command.flag("--inference", asked.inference, "inference, not a training step");
  command.flag("--bfloat16", asked.bfloat16, "every device in bfloat16, too");
  command.option("--imagine", asked.imagine, "TFLOPS,GB/s,us of another device");
  command.option("--picture", asked.picture, "draw the times into this .svg");
}

}  // namespace

int main(int argc, char** argv) {
  advising::Asked asked;
  app::Command command("ch12_which_device", "Measures which device to use, and when.");
  command.takes({"seed"});
  take_advising(command, asked);
  return command.run(argc, argv, [&](const app::Options& options) { show_advise(options, asked); });
}
