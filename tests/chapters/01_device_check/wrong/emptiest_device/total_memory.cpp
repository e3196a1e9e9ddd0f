// expect: a tensor of 64 MiB on sim:0
// Mixes up the two numbers of memory(): compares the sizes of the devices.
#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"

td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &total, &free);
    if (free > most) best = device, most = free;
  }
  return best;
}
