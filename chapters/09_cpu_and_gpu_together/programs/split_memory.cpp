// The memory of a training step on one device, and with the model split over two.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "split_training.h"

namespace split {
namespace {

/// Prints the peak memory of each device in a step, in 10^6 bytes.
void print_memory(const std::vector<td::Device>& devices, const Batch& batch) {
  std::cout << "peak memory, megabytes    " << devices[0] << "     " << devices[1] << '\n';
  for (const td::Device& second : devices) {
    Training training(kLayers / 2, devices[0], second, batch);
    training.variant(0)();
    for (const td::Device& device : devices) td::allocator(device).reset_peak();
    training.variant(0)();
    std::cout << std::setw(19) << training.where() << std::fixed << std::setprecision(1);
    for (const td::Device& device : devices)
      std::cout << std::setw(device.index() == devices[0].index() ? 12 : 10)
                << static_cast<double>(td::memory_stats(device).peak_allocated) / 1e6;
    std::cout << '\n';
  }
}

}  // namespace
}  // namespace split

int main(int argc, char** argv) {
  app::Command command("ch09-split_memory", "Shows the memory of a model on one and two devices.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const std::vector<td::Device> devices = split::two_devices(options);
    const std::int64_t rows = split::kRowsPerSample * options.batch_size;
    split::print_memory(devices, split::formula_batch(rows));
  });
}
