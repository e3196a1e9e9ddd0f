// expect: two cached pieces of 40 MiB on sim:1: expected sim:1, got sim:0
// Counts the largest cached piece only.
#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"

td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    free += td::memory_stats(device).largest_free;
    if (free > most) best = device, most = free;
  }
  return best;
}
