// Chapter 08, pinned memory: measures copies, and hides them in a training loop. The default prints
// bandwidths, times one loop with four input pipelines, draws two of them, and replays a step as a
// graph.
#include <cstdlib>

#include "app/app.h"
#include "bandwidth.h"
#include "graph.h"
#include "input_pipeline.h"
#include "memory.h"
#include "sim/sim.h"
#include "trace/trace.h"

namespace {

struct Choices {
  std::string show = "all", timeline;
  std::int64_t steps = 24, largest = 256;
};

using Loop = void (InputPipeline::*)();
struct Named {
  const char* name;
  Loop loop;
};
constexpr Named kLoops[] = {{"plain", &InputPipeline::plain},
                            {"pinned", &InputPipeline::pinned},
                            {"prefetched", &InputPipeline::prefetched},
                            {"by hand", &InputPipeline::by_hand}};

td::trace::Trace traced(InputPipeline& pipeline, Loop loop) {
  pipeline.finish();  // earlier work is not part of the trace
  td::trace::start();
  (pipeline.*loop)();
  return td::trace::stop();
}

// The memory of a laptop copies a small batch so fast that there is nothing to hide. So sim's link
// is made as slow as the work on a batch: hiding copies gains most in this case.
void balance_link(InputPipeline& pipeline, td::Device device) {
  if (!device.is_sim() || std::getenv("TD_SIM_LINK")) return;
  const double seconds = pipeline.work_seconds();
  td::sim::set_link({gb_per_s(pipeline.batch_bytes(), seconds), 0});
  std::cout << "link: set to " << std::fixed << std::setprecision(2) << td::sim::link().gb_per_s
            << " GB/s, so that a copy takes as long as the work on it; TD_SIM_LINK sets another\n";
}

void compare(InputPipeline& pipeline, double steps) {
  std::cout << "milliseconds per step\n"
            << "               step   copy + work   the longer one   overlap\n";
  for (const Named& named : kLoops) {
    const td::trace::OverlapTimes times = td::trace::overlap_times(traced(pipeline, named.loop));
    const double milliseconds = 1e3 / steps;
    std::cout << std::setw(10) << named.name << std::fixed << std::setprecision(2) << std::setw(9)
              << times.measured * milliseconds << std::setw(14) << times.serial * milliseconds
              << std::setw(17) << times.bound * milliseconds << std::setw(10) << times.efficiency()
              << std::endl;
    if (app::stop_requested()) throw app::Stopped(named.name);
  }
}

void draw(InputPipeline& pipeline, const std::string& folder) {
  for (const Named& named : {kLoops[0], kLoops[2]}) {
    const td::trace::Trace trace = traced(pipeline, named.loop);
    std::cout << "Four steps, " << named.name << ":\n" << td::trace::text_timeline(trace);
    if (!folder.empty())
      td::trace::write_svg(trace, folder + "/" + named.name + ".svg",
                           td::trace::PictureOptions().engines(true));
  }
}

void print_losses(InputPipeline& pipeline) {
  for (const Named& named : kLoops) {
    pipeline.reset();
    (pipeline.*named.loop)();
    std::cout << std::setw(10) << named.name << std::fixed << std::setprecision(4);
    for (const td::Tensor& loss : pipeline.losses()) std::cout << ' ' << loss.item<float>();
    std::cout << '\n';
  }
}

void feed(const app::Options& options, const Choices& choices, td::Device device) {
  InputPipeline pipeline(device, options.batch_size, choices.steps);
  std::cout << choices.steps << " batches of " << options.batch_size << " images, "
            << std::setprecision(2) << std::fixed
            << static_cast<double>(pipeline.batch_bytes()) / 1e6 << " MB each\n";
  if (choices.show == "losses") return print_losses(pipeline);
  balance_link(pipeline, device);
  pipeline.prefetched();  // the first steps allocate memory
  compare(pipeline, static_cast<double>(choices.steps));
  InputPipeline four(device, options.batch_size, 4);
  four.prefetched();
  draw(four, choices.timeline);
}

void run(const app::Options& options, const Choices& choices) {
  const td::Device device = app::choose_device(options);
  TD_CHECK(app::OptionError, !device.is_cpu(),
           "chapter 08 needs a device with a link to the host; use --device sim");
  td::manual_seed(options.seed);
  const bool all = choices.show == "all";
  if (choices.show == "memory") return memory::print(device);
  if (all || choices.show == "bandwidth")
    print_bandwidth(device, static_cast<std::size_t>(choices.largest) << 20);
  if (all || choices.show == "feeding" || choices.show == "losses") feed(options, choices, device);
  if (all || choices.show == "graph") {
    if (device.is_sim() && !std::getenv("TD_SIM_LAUNCH_COST")) td::sim::set_launch_cost(5);
    print_graph(device);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch08_pinned_memory", "Shows how fast copies are, and hides them.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  command.choice("--show", choices.show,
                 {"all", "memory", "bandwidth", "feeding", "losses", "graph"}, "which part");
  command.option("--largest", choices.largest, "MiB of the largest copy in the table", 1);
  command.option("--steps", choices.steps, "batches per measured loop", 1);
  command.option("--timeline", choices.timeline, "directory for figures of four steps");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
