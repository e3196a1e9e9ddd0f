// expect: sim:1 was the current sim device before the call
// Makes each device current in order to ask it, as cudaMemGetInfo needs it.
#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("emptiest_device: there is no device to choose from");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    td::set_device(device);
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    const std::size_t usable = free + stats.reserved - stats.allocated;
    if (usable > most) best = device, most = usable;
  }
  return best;
}
