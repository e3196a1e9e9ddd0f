// The memory of a device with Adam on the device, and with Adam on the host.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "offload_training.h"

namespace offload {
namespace {

/// Prints the memory of the device between two steps and its peak, in 10^6 bytes.
template <class T>
void print_memory(const char* name, td::Device device, std::int64_t rows) {
  T training(device, rows);
  const auto megabytes = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  training.step();
  td::synchronize(device);
  td::allocator(device).reset_peak();
  training.step();
  td::synchronize(device);
  const td::MemoryStats stats = td::memory_stats(device);
  std::cout << name << std::fixed << std::setprecision(1) << std::setw(12)
            << megabytes(stats.allocated) << std::setw(15) << megabytes(stats.peak_allocated)
            << '\n';
}

}  // namespace
}  // namespace offload

int main(int argc, char** argv) {
  app::Command command("ch09-offload_memory", "Shows the device memory that Adam takes.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = offload::choose_device(options);
    const std::int64_t rows = offload::rows_of(options);
    std::cout << "megabytes on " << device << "     between steps           peak\n";
    offload::print_memory<offload::OnDevice>("Adam on the device", device, rows);
    offload::print_memory<offload::Overlapped>("Adam on the host  ", device, rows);
  });
}
