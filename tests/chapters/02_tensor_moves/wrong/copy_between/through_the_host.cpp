// expect: sim:0 to sim:1: expected 1 transfer of
// Makes two copies where one is enough.
#include <vector>

#include "exercises.h"
#include "td/device/backend.h"

void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  std::vector<char> host(bytes);
  const auto step = [&](void* a, td::Device a_device, const void* b, td::Device b_device) {
    const td::Device worker = b_device.is_cpu() ? a_device : b_device;
    const td::Stream stream = td::getCurrentStream(worker);
    td::backend(worker.type())
        .copy(a, a_device, b, b_device, bytes, worker.index(), stream.native());
    stream.synchronize();
  };
  if (to_device.is_cpu() || from_device.is_cpu()) return step(to, to_device, from, from_device);
  step(host.data(), td::kCPU, from, from_device);
  step(to, to_device, host.data(), td::kCPU);
}
