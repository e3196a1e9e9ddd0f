// Chapter 08, pinned memory: how fast copies are, and how a training loop hides them. The default
// prints the bandwidths, times one loop that is fed in four ways, draws two of them, and replays a
// step as a graph.
#include <cstdlib>

#include "app/app.h"
#include "bandwidth.h"
#include "feeding.h"
#include "graph.h"
#include "sim/sim.h"
#include "trace/trace.h"

namespace {

struct Choices {
  std::string show = "all", timeline;
  std::int64_t steps = 24, largest = 256;
};

using Way = void (Feeding::*)();
struct Named {
  const char* name;
  Way way;
};
constexpr Named kWays[] = {{"plain", &Feeding::plain},
                           {"pinned", &Feeding::pinned},
                           {"prefetched", &Feeding::prefetched},
                           {"by hand", &Feeding::by_hand}};

td::trace::Trace traced(Feeding& feeding, Way way) {
  feeding.finish();  // what was queued before is not part of it
  td::trace::start();
  (feeding.*way)();
  return td::trace::stop();
}

// anchor: link
// A laptop's memory copies a small batch in no time, and then there is nothing to hide. So sim's
// link is made as slow as its work: the case in which hiding copies gains most.
void balance_link(Feeding& feeding, td::Device device) {
  if (!device.is_sim() || std::getenv("TD_SIM_LINK")) return;
  const double seconds = feeding.work_seconds();
  td::sim::set_link({gb_per_s(feeding.batch_bytes(), seconds), 0});
  std::cout << "link: set to " << std::fixed << std::setprecision(2) << td::sim::link().gb_per_s
            << " GB/s, so that a copy takes as long as the work on it; TD_SIM_LINK sets another\n";
}
// anchor end

// anchor: compare
void compare(Feeding& feeding, double steps) {
  std::cout << "milliseconds a step\n"
            << "               step   copy + work   the longer one   overlap\n";
  for (const Named& named : kWays) {
    const td::trace::OverlapTimes times = td::trace::overlap_times(traced(feeding, named.way));
    const double milliseconds = 1e3 / steps;
    std::cout << std::setw(10) << named.name << std::fixed << std::setprecision(2) << std::setw(9)
              << times.measured * milliseconds << std::setw(14) << times.serial * milliseconds
              << std::setw(17) << times.bound * milliseconds << std::setw(10) << times.efficiency()
              << std::endl;
    if (app::stop_requested()) throw app::Stopped(named.name);
  }
}
// anchor end

void draw(Feeding& feeding, const std::string& folder) {
  for (const Named& named : {kWays[0], kWays[2]}) {
    const td::trace::Trace trace = traced(feeding, named.way);
    std::cout << "Four steps, " << named.name << ":\n" << td::trace::text_timeline(trace);
    if (!folder.empty())
      td::trace::write_svg(trace, folder + "/" + named.name + ".svg",
                           td::trace::PictureOptions().engines(true));
  }
}

void feed(const app::Options& options, const Choices& choices, td::Device device) {
  Feeding feeding(device, options.batch_size, choices.steps);
  std::cout << choices.steps << " batches of " << options.batch_size << " pictures, "
            << std::setprecision(2) << std::fixed
            << static_cast<double>(feeding.batch_bytes()) / 1e6 << " MB each\n";
  balance_link(feeding, device);
  feeding.prefetched();  // first steps ask the system for memory
  compare(feeding, static_cast<double>(choices.steps));
  Feeding four(device, options.batch_size, 4);
  four.prefetched();
  draw(four, choices.timeline);
}

void run(const app::Options& options, const Choices& choices) {
  const td::Device device = app::choose_device(options);
  TD_CHECK(td::DeviceError, !device.is_cpu(),
           "there is no link between the host and the host; take --device sim");
  td::manual_seed(options.seed);
  const bool all = choices.show == "all";
  if (all || choices.show == "bandwidth")
    print_bandwidth(device, static_cast<std::size_t>(choices.largest) << 20);
  if (all || choices.show == "feeding") feed(options, choices, device);
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
  command.choice("--show", choices.show, {"all", "bandwidth", "feeding", "graph"}, "which part");
  command.option("--largest", choices.largest, "MiB of the largest copy in the table");
  command.option("--steps", choices.steps, "batches that each way is timed with");
  command.option("--timeline", choices.timeline, "folder for pictures of four steps");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
