// The registered backends, one per kind, the context of a thread, and the observers of work. A kind
// that no library registered has a backend without devices, whose error message devices.def holds.
#include "td/device/backend.h"

#include <array>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "td/base/error.h"
#include "td/base/span.h"
#include "td/device/context.h"

namespace td {

namespace {

struct AbsentBackend final : Backend {
  explicit AbsentBackend(const char* text) : reason(text) {}
  std::string unavailable_reason() const override { return reason; }

  const char* reason;
  Backend* registered = this;  // the backend that a library has registered instead
};

AbsentBackend& slot(DeviceType type) {
  // Never destroyed: backends are used until the last static object is gone.
  static auto& all = *new std::array<AbsentBackend, kDeviceTypes>{
#define DEVICE(constant, name, reason) AbsentBackend(reason),
#include "td/device/devices.def"
  };
  return all[static_cast<std::size_t>(type)];
}

}  // namespace

Backend& backend(DeviceType type) { return *slot(type).registered; }

RegisterBackend::RegisterBackend(DeviceType type, Backend& backend) {
  slot(type).registered = &backend;
}

void Backend::unsupported(const char* function) const {
  const std::string reason = unavailable_reason();
  fail<DeviceError>(reason.empty() ? "this kind of device has no function " + std::string(function)
                                   : reason);
}

void run_with_span(const Record& record) {
  const trace::Span span(record.name, trace::Category::kOperator);
  record.run(record.work);
}

namespace {

struct Observers {
  std::shared_mutex mutex;
  std::vector<Observer*> all;
};

Observers& observers() {
  static Observers& instance = *new Observers;  // never destroyed: work is issued after main
  return instance;
}

}  // namespace

void add_observer(Observer& observer) {
  std::lock_guard lock(observers().mutex);
  observers().all.push_back(&observer);
  observed = true;
}

void remove_observer(Observer& observer) {
  std::lock_guard lock(observers().mutex);
  std::erase(observers().all, &observer);
  observed = !observers().all.empty();
}

void tell_issued(const Record& record, Device device) {
  std::shared_lock lock(observers().mutex);
  for (Observer* observer : observers().all) observer->issued(record, device);
}

void tell_released(const Extent& block, const StreamUse* owner, const StreamUses& uses) noexcept {
  std::shared_lock lock(observers().mutex);
  for (Observer* observer : observers().all) observer->released(block, owner, uses);
}

thread_local constinit Context context_of_thread;

}  // namespace td
