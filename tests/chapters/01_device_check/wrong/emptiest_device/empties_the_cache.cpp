// expect: look for empty_cache
// Right numbers, but the caches of all devices are lost.
#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"

td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::empty_cache();
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    if (free > most) best = device, most = free;
  }
  return best;
}
