// See autocast.h.
#include "td/ops/autocast_guard.h"

#include "libs/products.h"
#include "td/base/error.h"
#include "td/device/backend.h"

namespace td::amp {
namespace {

// Whether the guard can do what the caller requested; warns when it cannot.
bool supported(DeviceType type, ScalarType dtype) {
  const char* name = device_type_name(type);
  if (type != kCPU && device_count(type) == 0) {
    warn_once(
        "autocast: asked for on ", name, ", but there is no ", name,
        " device here; autocast stays off. Pass the type of the device that the model is on.");
    return false;
  }
  if (dtype != kHalf && dtype != kBFloat16) {
    warn_once("autocast: ", name, " regions run in float16 or bfloat16, but the type asked for is ",
              dtype_name(dtype), "; autocast stays off.");
    return false;
  }
  if (type != kCPU && dtype == kBFloat16) {
    const Device current = check_device(type);
    check_bfloat16("autocast", current, backend(type).compute_capability(current.index()));
  }
  return true;
}

}  // namespace

AutocastGuard::AutocastGuard(DeviceType device_type, optional<ScalarType> dtype, bool enabled,
                             bool cache)
    : previous_(context().autocast) {
  const int bit = static_cast<int>(device_type);
  TD_CHECK(DeviceError, bit >= 0 && bit < kDeviceTypes, "autocast: unsupported device type ", bit,
           "; expected kCPU, kSIM or kCUDA");
  AutocastMode mode = previous_;
  mode.cache = cache;
  mode.dtype[bit] = dtype.value_or(AutocastMode().dtype[bit]);
  const bool on = enabled && supported(device_type, mode.dtype[bit]);
  mode.enabled = static_cast<std::uint8_t>((mode.enabled & ~(1 << bit)) | (on ? 1 << bit : 0));
  context().autocast = mode;
  ++context().autocast_depth;
}

AutocastGuard::~AutocastGuard() {
  if (--context().autocast_depth == 0) autocast::clear_cache();
  context().autocast = previous_;
}

}  // namespace td::amp
