// Current device and stream of a thread. They live in ThreadState; nothing here talks to a driver,
// because every backend call is told its device.
#include "td/device/guard.h"

#include "td/device/thread_state.h"

namespace td {

int current_device(DeviceType type) {
  return thread_state().current_device[static_cast<int>(type)];
}

void set_device(Device device) {
  const Device checked = check_device(device);
  thread_state().current_device[static_cast<int>(checked.type())] =
      static_cast<std::int8_t>(checked.index());
}

DeviceGuard::DeviceGuard(Device device)
    : type_(device.type()), previous_(current_device(device.type())) {
  set_device(device);
}

DeviceGuard::~DeviceGuard() {
  thread_state().current_device[static_cast<int>(type_)] = static_cast<std::int8_t>(previous_);
}

StreamGuard::StreamGuard(const Stream& stream)
    : device_(stream.device()), previous_(getCurrentStream(stream.device())) {
  setCurrentStream(stream);
}

StreamGuard::~StreamGuard() {
  const Device device = previous_.device();
  if (device.is_cpu()) return;
  thread_state().current_stream[static_cast<int>(device.type())][device.index()] =
      previous_.native();
}

}  // namespace td
