// Chapter 09, CPU and GPU together: a pipeline of host and device, a model that is split over two
// devices, and an optimizer on the host.
#include "app/app.h"
#include "offload.h"
#include "pipeline.h"
#include "split.h"

namespace {

using Part = void (*)(const app::Options&, td::Device);
struct Named {
  const char* name;
  Part show;
};
constexpr Named kParts[] = {
    {"pipeline", show_pipeline}, {"split", show_split}, {"offload", show_offload}};

void run(const app::Options& options, const std::string& show) {
  const td::Device device = app::choose_device(options);
  for (const Named& part : kParts) {
    if (show != "all" && show != part.name) continue;
    td::manual_seed(options.seed);
    part.show(options, device);
    if (app::stop_requested()) throw app::Stopped(part.name);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string show = "all";
  app::Command command("ch09_cpu_and_gpu_together", "The host and a device work together.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  command.choice("--show", show, {"all", "pipeline", "split", "offload"}, "which part");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, show); });
}
