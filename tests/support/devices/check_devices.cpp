// The probe of a checker without tensors: after a stub has thrown, every device must still copy.
#include "check_devices.h"

#include <stdexcept>
#include <string>

#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

namespace check {
namespace {

/// Copies a number to the device's memory and back. @return what came back.
int copied(td::Device device, int value) {
  const td::DeviceGuard guard(device);
  td::Allocator& memory = td::allocator(device);
  void* block = memory.allocate(sizeof value);
  int back = 0;
  const td::Stream stream = td::getCurrentStream(device);
  td::Backend& backend = td::backend(device.type());
  backend.copy(block, device, &value, td::kCPU, sizeof value, device.index(), stream.native());
  backend.copy(&back, td::kCPU, block, device, sizeof value, device.index(), stream.native());
  stream.synchronize();
  memory.release(block, sizeof value);
  return back;
}

/// Names of the devices on which a copy there and back works. @throws std::runtime_error otherwise.
std::string try_devices() {
  std::string names;
  for (const td::Device device : devices()) {
    if (!device.is_cpu() && copied(device, 10) != 10)
      throw std::runtime_error(device.str() + " copies a wrong value");
    names += (names.empty() ? "" : ", ") + device.str();
  }
  return names;
}

const bool registered = (probe().try_devices = try_devices, true);

}  // namespace
}  // namespace check
