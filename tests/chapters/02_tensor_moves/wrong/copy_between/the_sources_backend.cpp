// expect: host code wrote to memory of sim:0
// Right from the device to the host. Towards the device it lets the cpu do the work, which cannot.
#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Stream stream = td::getCurrentStream(from_device);
  td::backend(from_device.type())
      .copy(to, to_device, from, from_device, bytes, from_device.index(), stream.native());
  stream.synchronize();
}
