// A network that needs less time than the preparation of its batches: what more worker threads of
// the loader change, and what Amdahl's law says.
#include <iostream>

#include "app/app.h"
#include "stage_times.h"

namespace pipeline {
namespace {

/// A network that needs less time than the preparation of its batches.
void add_workers(Training& training) {
  constexpr std::size_t kWorkers[] = {1, 2, 4};
  std::vector<Named> variants;
  for (const std::size_t workers : kWorkers)
    variants.push_back({std::to_string(workers), [workers](Training& t) { t.library(workers); }});
  const Times times = measure(training, variants);
  std::cout << "A network of " << training.plan().hidden
            << " instead: preparation is the longest stage.\n";
  print_alone(times);
  std::cout << "workers    step   bound   speed-up   Amdahl    (" << td::core_count()
            << " cores)\n";
  const double share = times.prepare / times.sum();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto workers = static_cast<double>(kWorkers[i]);
    std::cout << std::setw(7) << kWorkers[i] << std::setw(8) << times.variants[i] << std::setw(8)
              << std::max({times.prepare / workers, times.copy, times.work}) << std::setw(11)
              << times.sum() / times.variants[i] << std::setw(9)
              << 1 / (1 - share + share / workers) << '\n';
  }
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  app::Command command("ch09-workers", "Prepares batches in one, two and four threads.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    const auto batch_size = static_cast<std::size_t>(options.batch_size);
    pipeline::Training training({device, batch_size, /*steps=*/24, /*hidden=*/16, options.seed});
    pipeline::add_workers(training);
  });
}
