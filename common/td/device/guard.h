// Scopes that change the current device or stream of this thread and put it back.
#pragma once

#include "td/device/stream.h"

namespace td {

/// The index that `Device(type)` without an index means in this thread.
int current_device(DeviceType type);
/// Changes it. @throws DeviceError when there is no such device.
void set_device(Device device);

/// Makes a device current for its kind until the end of the scope.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  DeviceType type_;
  int previous_;
};

/// Makes a stream current for its device (and the device current) until the end of the scope.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  DeviceGuard device_;
  Stream previous_;
};

}  // namespace td
