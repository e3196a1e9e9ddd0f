// Chapter 12, which device?: measures one network on the devices of this machine, states which
// device to use from which batch size on, and explains why. --report shows why several devices are
// not as fast as you hoped.
#include "advise.h"
#include "app/app.h"
#include "report.h"

namespace {

struct Choices {
  advising::AdvisorOptions advisor;
  bool report = false;
  std::string timeline;
};

void add_options(app::Command& command, Choices& choices) {
  command.option("--width", choices.advisor.width, "of the network's layers");
  command.option("--depth", choices.advisor.depth, "hidden layers of the network");
  command.option("--largest", choices.advisor.largest, "the largest batch");
  command.option("--runs", choices.advisor.runs, "how often each batch is timed, at most");
  command.flag("--inference", choices.advisor.inference, "inference, not a training step");
  command.flag("--bfloat16", choices.advisor.bfloat16, "every device in bfloat16, too");
  command.option("--imagine", choices.advisor.imagine, "TFLOPS,GB/s,us of another device");
  command.option("--picture", choices.advisor.picture, "draw the times into this .svg");
  command.flag("--report", choices.report, "one device and several: what they lose");
  command.option("--timeline", choices.timeline, "with --report: draw a step into this .svg");
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch12_which_device", "Measures which device to use, and when.");
  command.takes({"seed"});
  add_options(command, choices);
  return command.run(argc, argv, [&](const app::Options& options) {
    if (choices.report)
      show_report(options, choices.advisor.width, choices.advisor.largest, choices.timeline);
    else
      show_advise(options, choices.advisor);
  });
}
