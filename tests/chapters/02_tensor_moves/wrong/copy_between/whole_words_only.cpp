// expect: cpu to cpu, 1 bytes: index 0: expected 1, got 99
// Right for floats. Rounds the number of bytes down to whole words and loses the rest.
#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes / 4 * 4, worker.index(), stream.native());
  stream.synchronize();
}
