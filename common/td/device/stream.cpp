// Streams and events as values, and the current device and stream of a thread, which are stored in
// Context; the work is the backend's. Invariant: a native event belongs to the
// device of `device_index_`, and only streams of that device record it.
#include "td/device/stream.h"

#include <array>
#include <cctype>
#include <mutex>

#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/context.h"
#include "td/device/graph.h"

namespace td {
namespace {

constexpr int kPoolSize = 32;  // libtorch's number

/// The pool of one device and priority: streams are made on demand, returned in turn, and never
/// destroyed.
struct StreamPool {
  std::mutex mutex;
  std::array<NativeStream*, kPoolSize> streams{};
  unsigned next = 0;
};

StreamPool& stream_pool(Device device, bool high_priority) {
  static constinit StreamPool pools[kDeviceTypes][kMaxDevices][2];
  return pools[static_cast<int>(device.type())][device.index()][high_priority];
}

// cpu has index -1 and one queue that is always empty.
int native_index(Device device) { return device.is_cpu() ? 0 : device.index(); }

/// "kSIM", as programs write it.
std::string constant_name(DeviceType type) {
  std::string name = device_type_name(type);
  for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
  return 'k' + name;
}

}  // namespace

void check_may_wait(const char* what, Device device) {
  if (capturing_graph() && !device.is_cpu()) [[unlikely]]
    fail_in_capture(what,
                    "The host may not wait for the device or read its values: nothing runs "
                    "before the graph is replayed. Do it after the capture.");
}

void Stream::synchronize() const {
  check_may_wait("Stream::synchronize", device_);
  backend(device_.type()).synchronize(native_index(device_), native_, false);
}

bool Stream::query() const { return backend(device_.type()).idle(native_index(device_), native_); }

void Stream::wait(const Stream& other) const {
  if (*this == other || other.device_.is_cpu()) return;
  Event mark(other.device_.type());
  mark.record(other);
  mark.block(*this);
}

std::ostream& operator<<(std::ostream& out, const Stream& stream) {
  out << "stream(" << stream.device();
  if (stream.native()) return out << ", " << stream.native() << ')';
  return out << ", default)";
}

Event::~Event() {
  if (native_) backend(type_).release_event(native_);
}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(flag_, other.flag_);
  std::swap(native_, other.native_);
  std::swap(device_index_, other.device_index_);
  return *this;
}

void Event::record(const Stream& stream) {
  TD_CHECK(DeviceError, stream.device().type() == type_, "an event of ", device_type_name(type_),
           " cannot be recorded on a stream of ", stream.device(), "; make it with Event(",
           constant_name(stream.device().type()), ").");
  const int index = native_index(stream.device());
  TD_CHECK(DeviceError, !native_ || device_index_ == index, "an event of ",
           Device(type_, device_index_), " cannot be recorded on a stream of ", stream.device(),
           ": it stays with the device of its first record; make another Event.");
  if (!native_) native_ = backend(type_).new_event(index, flag_ == EventFlag::kTiming);
  device_index_ = static_cast<std::int8_t>(index);
  backend(type_).record(native_, index, stream.native());
}

void Event::record() { record(getCurrentStream(Device(type_))); }

void Event::block(const Stream& stream) const {
  if (!native_) return;
  // Streams of different kinds cannot wait for each other, so the host waits instead.
  if (stream.device().type() != type_) return synchronize();
  backend(type_).wait(native_index(stream.device()), stream.native(), native_);
}

bool Event::query() const {
  if (!native_) return true;
  if (!backend(type_).done(native_)) return false;
  backend(type_).host_saw(native_);
  return true;
}

void Event::synchronize() const {
  if (!native_) return;
  check_may_wait("Event::synchronize", Device(type_));
  backend(type_).synchronize_event(native_);
}

double Event::elapsed_time(const Event& later) const {
  TD_CHECK(Error, flag_ == EventFlag::kTiming && later.flag_ == EventFlag::kTiming,
           "elapsed_time: an event keeps no time unless it is made with EventFlag::kTiming; make ",
           "both events so.");
  TD_CHECK(Error, native_ && later.native_,
           "elapsed_time: an event was never recorded; call record() on both first.");
  TD_CHECK(DeviceError, type_ == later.type_, "elapsed_time: one event is of ",
           device_type_name(type_), " and the other of ", device_type_name(later.type_),
           "; measure on one device.");
  TD_CHECK(Error, query() && later.query(),
           "elapsed_time: an event was not passed yet; call later.synchronize() first.");
  return backend(type_).milliseconds(native_, later.native_);
}

Stream getCurrentStream(Device device) {
  const Device checked = check_device(device);
  return {checked, current_native_stream(checked)};
}

Stream getDefaultStream(Device device) { return {check_device(device), nullptr}; }

Stream getStreamFromPool(Device device, bool high_priority) {
  const Device checked = check_device(device);
  if (checked.is_cpu()) return {checked, nullptr};  // work on the cpu is done when a call returns
  StreamPool& pool = stream_pool(checked, high_priority);
  std::lock_guard lock(pool.mutex);
  NativeStream*& native = pool.streams[pool.next++ % kPoolSize];
  if (!native) native = backend(checked.type()).new_stream(checked.index(), high_priority);
  return {checked, native};
}

void setCurrentStream(const Stream& stream) {
  const Device device = check_device(stream.device());
  if (device.is_cpu()) return;
  context().current_stream[static_cast<int>(device.type())][device.index()] = stream.native();
}

void synchronize(Device device) {
  const Device checked = check_device(device);
  check_may_wait("synchronize", checked);
  backend(checked.type()).synchronize(native_index(checked), nullptr, true);
}

int current_device(DeviceType type) { return context().current_device[static_cast<int>(type)]; }

void set_device(Device device) {
  const Device checked = check_device(device);
  context().current_device[static_cast<int>(checked.type())] =
      static_cast<std::int8_t>(checked.index());
}

}  // namespace td
