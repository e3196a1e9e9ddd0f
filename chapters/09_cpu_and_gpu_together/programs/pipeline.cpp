// Three stages at the same time: the host prepares, the link copies, the device computes. Times
// each stage alone, then four ways of running them together, and draws one.
#include <cstdlib>
#include <iostream>

#include "app/app.h"
#include "sim/sim.h"
#include "stage_times.h"
#include "trace/trace.h"

namespace pipeline {
namespace {

/// Makes sim's link so slow that a copy takes half as long as the work, for the lifetime of the
/// object. Otherwise you would not see the copy next to such a small network.
class SlowLink {
 public:
  explicit SlowLink(Training& training) : before_(td::sim::link()) {
    if (!training.plan().device.is_sim() || std::getenv("TD_SIM_LINK")) return;
    const std::vector<app::Variant> alone = stages_alone(training);
    const double work = app::median_seconds_interleaved({alone[2]}, kRounds)[0];
    const std::size_t bytes = training.batch_bytes() * training.plan().steps;
    td::sim::set_link({static_cast<double>(bytes) / (0.5 * work) * 1e-9, 0});
    std::cout << "link: set to " << std::fixed << std::setprecision(2) << td::sim::link().gb_per_s
              << " GB/s, so that a copy takes half as long as the work; TD_SIM_LINK sets another\n";
  }
  ~SlowLink() { td::sim::set_link(before_); }
  SlowLink(const SlowLink&) = delete;
  SlowLink& operator=(const SlowLink&) = delete;

 private:
  td::sim::Link before_;
};

/// Times the variants and compares them with the longest stage.
void compare_variants(Training& training) {
  const std::vector<Named> variants = {
      {"plain", [](Training& t) { t.plain(); }},
      {"loss not read", [](Training& t) { t.unread(); }},
      {"run_pipeline", [](Training& t) { t.pipelined(); }},
      {"the library", [](Training& t) { t.library(1); }},
  };
  const Times times = measure(training, variants);
  print_alone(times);
  std::cout << "milliseconds per step  step   / the longest\n";
  for (std::size_t i = 0; i < variants.size(); ++i)
    std::cout << std::setw(18) << variants[i].name << std::setw(9) << times.variants[i]
              << std::setw(16) << times.variants[i] / times.longest() << '\n';
  std::cout << "All losses are bitwise identical.\n";
}

/// Six steps of run_pipeline as a timeline.
void draw(Plan plan) {
  plan.steps = 6;
  Training training(plan);
  training.pipelined();  // the first steps allocate memory
  td::trace::start();
  training.pipelined();
  const td::trace::Trace trace = td::trace::stop();
  std::cout << plan.steps << " steps by run_pipeline:\n"
            << td::trace::text_timeline(trace, td::trace::PictureOptions().host(true));
}

void show(const Plan& plan) {
  Training training(plan);
  std::cout << "A pipeline of three stages: " << plan.steps << " batches of " << plan.batch_size
            << " images, " << std::fixed << std::setprecision(2)
            << static_cast<double>(training.batch_bytes()) / 1e6 << " MB each\n";
  const SlowLink link(training);
  compare_variants(training);
  draw(plan);
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  app::Command command("ch09-pipeline", "Prepares, copies and computes at the same time.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    const auto batch_size = static_cast<std::size_t>(options.batch_size);
    pipeline::show({device, batch_size, /*steps=*/64, /*hidden=*/256, options.seed});
  });
}
