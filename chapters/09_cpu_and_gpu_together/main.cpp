// Chapter 09, CPU and GPU together: a pipeline of host and device, a model that is split over two
// devices, and an optimizer on the host.
#include "app/app.h"
#include "offload.h"
#include "pipeline.h"
#include "split.h"

namespace {

void run(const app::Options& options, const std::string& show, const std::string& timeline) {
  const td::Device device = app::choose_device(options);
  const auto part = [&](const char* name, const std::function<void()>& run_part) {
    if (show != "all" && show != name) return;
    td::manual_seed(options.seed);
    run_part();
    if (app::stop_requested()) throw app::Stopped(name);
  };
  part("pipeline", [&] { show_pipeline(options, device); });
  part("split", [&] { show_split(options, device, timeline); });
  part("offload", [&] { show_offload(options, device); });
}

}  // namespace

int main(int argc, char** argv) {
  std::string show = "all", timeline;
  app::Command command("ch09_cpu_and_gpu_together", "The host and a device work together.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  command.choice("--show", show, {"all", "pipeline", "split", "offload"}, "which part");
  command.option("--timeline", timeline, "draw a step in micro-batches into this .svg");
  return command.run(argc, argv,
                     [&](const app::Options& options) { run(options, show, timeline); });
}
