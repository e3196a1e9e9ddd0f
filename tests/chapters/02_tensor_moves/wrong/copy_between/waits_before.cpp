// expect: read right after the copy from sim:0 to pinned memory
// Waits for what came before, and not for the copy itself.
#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  stream.synchronize();
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
}
