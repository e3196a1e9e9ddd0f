// expect: from was filled with 10 by work that was queued on
// Between two accelerators it takes the target's stream, which does not wait for the source's work.
#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = to_device.is_cpu() ? from_device : to_device;
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
  stream.synchronize();
}
