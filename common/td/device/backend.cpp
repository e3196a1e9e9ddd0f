// The registered backends, one per kind, the thread's state, and the observer of launches. A kind
// that no library registered has a backend without devices, whose error message devices.def holds.
#include "td/device/backend.h"

#include <array>

#include "td/base/error.h"
#include "td/base/span.h"
#include "td/device/record.h"
#include "td/device/thread_state.h"

namespace td {

namespace {

class AbsentBackend final : public Backend {
 public:
  explicit AbsentBackend(const char* reason) : reason_(reason) {}
  std::string unavailable_reason() const override { return reason_; }

 private:
  const char* reason_;
};

// Never destroyed: backends are used until the last static object is gone.
std::array<Backend*, kDeviceTypes>& backends() {
  static auto& absent = *new std::array<AbsentBackend, kDeviceTypes>{
#define DEVICE(constant, name, reason) AbsentBackend(reason),
#define ACCELERATOR DEVICE
#include "td/device/devices.def"
#undef ACCELERATOR
#undef DEVICE
  };
  static auto& all = *[] {
    auto* pointers = new std::array<Backend*, kDeviceTypes>;
    for (std::size_t i = 0; i < absent.size(); ++i) (*pointers)[i] = &absent[i];
    return pointers;
  }();
  return all;
}

}  // namespace

Backend& backend(DeviceType type) { return *backends()[static_cast<std::size_t>(type)]; }

RegisterBackend::RegisterBackend(DeviceType type, Backend& backend) {
  backends()[static_cast<std::size_t>(type)] = &backend;
}

void Backend::copy(void*, Device, const void*, Device, std::size_t, int, void*) {
  unsupported("copy");
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
