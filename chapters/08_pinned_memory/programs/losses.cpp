// The losses of one training loop with four input pipelines, which are the same. losses.py repeats
// them. `by hand` is the exercise `prefetcher`; with --mine it is yours.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "input_pipeline.h"

namespace {

void say_batches(const InputPipeline& pipeline, std::int64_t steps) {
  std::cout << steps << " batches of " << pipeline.batch_size() << " images, "
            << std::setprecision(2) << std::fixed
            << static_cast<double>(pipeline.batch_bytes()) / 1e6 << " MB each\n";
}

void print_losses(InputPipeline& pipeline) {
  for (const NamedLoop& named : kLoops) {
    pipeline.reset();
    (pipeline.*named.run)();
    std::cout << std::setw(10) << named.name << std::fixed << std::setprecision(4);
    for (const td::Tensor& loss : pipeline.losses()) std::cout << ' ' << loss.item<float>();
    std::cout << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t steps = 4;
  app::Command command("ch08-losses", "Prints the losses with four input pipelines.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  command.option("--steps", steps, "batches", 1);
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "this program needs a device with a link to the host; use --device sim");
    InputPipeline pipeline(device, options.batch_size, steps);
    say_batches(pipeline, steps);
    print_losses(pipeline);
  });
}
