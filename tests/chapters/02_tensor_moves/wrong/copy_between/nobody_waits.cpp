// expect: read right after the copy from sim:0 to pinned memory
// Right on the README's example, and with ordinary memory: only a copy into pinned memory returns
// early.
#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(),
            td::getCurrentStream(worker).native());
}
