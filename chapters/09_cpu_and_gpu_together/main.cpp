// Chapter 09, CPU and GPU together: a pipeline of host and device, one model in two places, an
// optimizer on the host, inference, and a measured answer to "which device?".
#include "advise.h"
#include "app/app.h"
#include "inference.h"
#include "offload.h"
#include "pipeline.h"
#include "split.h"

namespace {

using Part = void (*)(const app::Options&, td::Device);
struct Named {
  const char* name;
  Part show;
};
constexpr Named kParts[] = {{"pipeline", show_pipeline},
                            {"split", show_split},
                            {"offload", show_offload},
                            {"inference", show_inference}};

void run(const app::Options& options, const std::string& show) {
  const td::Device device = app::choose_device(options);
  for (const Named& part : kParts) {
    if (show != "all" && show != part.name) continue;
    td::manual_seed(options.seed);
    part.show(options, device);
    if (app::stop_requested()) throw app::Stopped(part.name);
  }
}

void take_advising(app::Command& command, advising::Asked& asked) {
  command.option("--width", asked.width, "with --advise: of the network's layers");
  command.option("--depth", asked.depth, "with --advise: hidden layers of the network");
  command.option("--largest", asked.largest, "with --advise: the largest batch");
  command.option("--runs", asked.runs, "with --advise: how often each batch is timed, at most");
  command.flag("--inference", asked.inference, "with --advise: inference, not a training step");
  command.flag("--bfloat16", asked.bfloat16, "with --advise: every device in bfloat16, too");
  command.option("--imagine", asked.imagine, "with --advise: TFLOPS,GB/s,us of another device");
  command.option("--picture", asked.picture, "with --advise: draw the times into this .svg");
}

}  // namespace

int main(int argc, char** argv) {
  std::string show = "all";
  bool advise = false;
  advising::Asked asked;
  app::Command command("ch09_cpu_and_gpu_together", "The host and a device work together.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  command.choice("--show", show, {"all", "pipeline", "split", "offload", "inference"},
                 "which part");
  command.flag("--advise", advise, "measure this machine's devices, and say which one to use when");
  take_advising(command, asked);
  return command.run(argc, argv, [&](const app::Options& options) {
    advise ? show_advise(options, asked) : run(options, show);
  });
}
