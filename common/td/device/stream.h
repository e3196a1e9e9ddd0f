// Streams and events, with libtorch's names. A Stream is a queue of work on one device: work in a
// stream runs in order, streams run concurrently, an Event orders one stream after another.
// Handles are values; the queues themselves exist in the backend until the process ends.
#pragma once

#include <utility>

#include "td/device/device.h"

namespace td {

/// A queue of work on a device. `native` is the backend's own handle (for cuda a cudaStream_t,
/// which reinterpret_cast gives; nullptr for the default stream of a device, and for cpu, whose
/// work is done when the call returns).
class Stream {
 public:
  Stream(Device device, NativeStream* native) : device_(device), native_(native) {}

  /// The device whose work it queues.
  Device device() const { return device_; }
  /// The backend's own handle.
  NativeStream* native() const { return native_; }
  /// Blocks the host until all work queued so far is done.
  /// @throws AsyncError when some of it failed, with the name of the operation.
  void synchronize() const;
  /// True when all work queued so far is done. Does not block. @throws AsyncError, DeviceError
  bool query() const;
  /// Work queued on this stream from now on waits for what `other` holds now. Does not block the
  /// host. The same as recording an event on `other` and blocking this stream on it.
  void wait(const Stream& other) const;
  friend bool operator==(const Stream& a, const Stream& b) {
    return a.device_ == b.device_ && a.native_ == b.native_;
  }

 private:
  Device device_;
  NativeStream* native_;
};

std::ostream& operator<<(std::ostream& out, const Stream& stream);

/// Whether an event stores the time at which it happened.
enum class EventFlag { kDefault, kTiming };

/// A point in a stream. Recording it again moves it; waits already queued keep the old point.
class Event {
 public:
  /// @param type the kind of device whose streams will record it.
  explicit Event(DeviceType type, EventFlag flag = EventFlag::kDefault)
      : type_(type), flag_(flag) {}
  ~Event();
  Event(Event&& other) noexcept : Event(other.type_) { *this = std::move(other); }
  Event& operator=(Event&& other) noexcept;

  /// Records the event on `stream`, after all work queued there so far.
  void record(const Stream& stream);
  /// Records on the current stream of the kind's current device.
  void record();
  /// Work queued on `stream` from now on waits for the event. Does not block the host.
  void block(const Stream& stream) const;
  /// True when the event has passed or was never recorded. @throws as Stream::query.
  bool query() const;
  /// Blocks the host until the event has passed. @throws AsyncError as Stream::synchronize does.
  void synchronize() const;
  /// Milliseconds from this event to `later`; both made with EventFlag::kTiming, and both passed.
  double elapsed_time(const Event& later) const;
  /// The kind of device whose streams record it.
  DeviceType device_type() const { return type_; }

 private:
  DeviceType type_;
  EventFlag flag_;
  NativeEvent* native_ = nullptr;  // made at the first record, on that stream's device
  std::int8_t device_index_ = -1;
};

/// The stream that operations on `device` use in this thread.
Stream getCurrentStream(Device device);
/// The stream that every thread starts with.
Stream getDefaultStream(Device device);
/// Another stream, from a pool of 32 per device, whose streams are returned in turn.
Stream getStreamFromPool(Device device, bool high_priority = false);
/// Makes `stream` current for its device in this thread. Prefer StreamGuard.
void setCurrentStream(const Stream& stream);

/// Blocks the host until all streams of the device are done. A cpu device is always done.
/// @throws AsyncError when queued work failed.
void synchronize(Device device);

/// Called by everything that makes the host wait for `device`, or read values there, before it
/// does so. An operation calls it before it calls others, whose names would not help.
/// @param what names the operation in the message.
/// @throws DeviceError while this thread captures a graph: a device has no values yet.
void check_may_wait(const char* what, Device device);

/// The index that `Device(type)` without an index means in this thread.
int current_device(DeviceType type);
/// Changes the current device. @throws DeviceError when there is no such device.
void set_device(Device device);

/// Makes a device current for its kind until the end of the scope.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) : previous_(device.type(), current_device(device.type())) {
    set_device(device);
  }
  ~DeviceGuard() { set_device(previous_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  Device previous_;
};

/// Makes a stream current for its device (and the device current) until the end of the scope.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream)
      : device_(stream.device()), previous_(getCurrentStream(stream.device())) {
    setCurrentStream(stream);
  }
  ~StreamGuard() { setCurrentStream(previous_); }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  DeviceGuard device_;
  Stream previous_;
};

}  // namespace td
