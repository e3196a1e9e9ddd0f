// Times one training loop with four input pipelines, and draws two of them: how much of the copies
// is hidden behind the work. `by hand` is the exercise `prefetcher`; with --mine it is yours.
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "input_pipeline.h"
#include "sim/sim.h"
#include "trace/trace.h"

namespace {

td::trace::Trace traced(InputPipeline& pipeline, const NamedLoop& loop) {
  pipeline.finish();  // earlier work is not part of the trace
  td::trace::start();
  (pipeline.*loop.run)();
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
  for (const NamedLoop& named : kLoops) {
    const td::trace::OverlapTimes times = td::trace::overlap_times(traced(pipeline, named));
    const double milliseconds = 1e3 / steps;
    std::cout << std::setw(10) << named.name << std::fixed << std::setprecision(2) << std::setw(9)
              << times.measured * milliseconds << std::setw(14) << times.serial * milliseconds
              << std::setw(17) << times.bound * milliseconds << std::setw(10) << times.efficiency()
              << std::endl;
    if (app::stop_requested()) throw app::Stopped(named.name);
  }
}

void draw(InputPipeline& pipeline, const std::string& folder) {
  for (const NamedLoop& named : {kLoops[0], kLoops[2]}) {
    const td::trace::Trace trace = traced(pipeline, named);
    std::cout << "Four steps, " << named.name << ":\n" << td::trace::text_timeline(trace);
    if (!folder.empty())
      td::trace::write_svg(trace, folder + "/" + named.name + ".svg",
                           td::trace::PictureOptions().engines(true));
  }
}

void say_batches(const InputPipeline& pipeline, std::int64_t steps) {
  std::cout << steps << " batches of " << pipeline.batch_size() << " images, "
            << std::setprecision(2) << std::fixed
            << static_cast<double>(pipeline.batch_bytes()) / 1e6 << " MB each\n";
}

void feed(td::Device device, std::int64_t batch_size, std::int64_t steps,
          const std::string& folder) {
  InputPipeline pipeline(device, batch_size, steps);
  say_batches(pipeline, steps);
  balance_link(pipeline, device);
  pipeline.prefetched();  // the first steps allocate memory
  compare(pipeline, static_cast<double>(steps));
  InputPipeline four(device, batch_size, 4);
  four.prefetched();
  draw(four, folder);
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t steps = 24;
  std::string timeline;
  app::Command command("ch08-feeding", "Times four input pipelines.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  command.option("--steps", steps, "batches per measured loop", 1);
  command.option("--timeline", timeline, "directory for figures of four steps");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "this program needs a device with a link to the host; use --device sim");
    td::manual_seed(options.seed);
    feed(device, options.batch_size, steps, timeline);
  });
}
