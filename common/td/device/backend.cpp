// The registered backends, one per kind, the thread's state, and the observer of launches. A kind
// that no library registered has a backend without devices, whose error message devices.def holds.
#include "td/device/backend.h"

#include <array>

#include "td/base/error.h"
#include "td/base/span.h"
#include "td/device/thread_state.h"

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

void (*record_observer)(const Record& record, Device device) = nullptr;

thread_local constinit ThreadState thread_state_storage;

}  // namespace td
