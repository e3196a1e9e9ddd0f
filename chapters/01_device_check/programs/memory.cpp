// Memory of a device: in tensors, reserved by the caching allocator, and free. emptiest_device is
// an exercise; with --mine it is yours.
#include <algorithm>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/device/backend.h"
#include "td/td.h"

namespace {

void show_memory(td::Device device) {
  std::cout << "memory of " << device << ", in MiB\n"
            << "                      in tensors     reserved   free on the device\n";
  const auto line = [&](const char* when) {
    const td::MemoryStats stats = td::memory_stats(device);
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(std::max(device.index(), 0), &free, &total);
    std::cout << "  " << std::left << std::setw(20) << when << std::right << std::setw(10)
              << (stats.allocated >> 20) << std::setw(13) << (stats.reserved >> 20) << std::setw(13)
              << (free >> 20) << " of " << (total >> 20) << '\n';
  };
  line("at the start");
  {
    const auto x = td::empty({64, 1024, 256}, device);
    line("with a tensor");
    if (td::device_count(device.type()) > 1)
      std::cout << "  most free memory:     "
                << emptiest_device({{device.type(), 0}, {device.type(), 1}}) << '\n';
  }
  line("tensor released");
  td::empty_cache();
  line("after empty_cache");
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch01-memory", "Shows what the caching allocator does.");
  return command.run(
      argc, argv, [&](const app::Options& options) { show_memory(app::choose_device(options)); });
}
