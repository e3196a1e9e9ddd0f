// expect: read by another stream of sim:1 right after the copy
// Waits if the host takes part, and not between two accelerators.
#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
  if (from_device.is_cpu() || to_device.is_cpu()) stream.synchronize();
}
