// All that the core stores per thread, in one struct, so that an operation fetches it once: the
// modes that an operation reads, and the current device and stream of each kind.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

/// What automatic mixed precision does in one thread; ops/autocast.h says how.
struct AutocastMode {
  std::uint8_t enabled = 0;  ///< bit per DeviceType
  bool cache = true;         ///< casts of parameters are kept until the region ends
  /// By kind of device, the type of operations that are faster in 16 bits.
  std::array<ScalarType, kDeviceTypes> dtype = [] {
    std::array<ScalarType, kDeviceTypes> types{};
    types.fill(kHalf);
    types[0] = kBFloat16;
    return types;
  }();
};

/// The modes and the current devices and streams of one thread.
struct ThreadState {
  bool grad_mode = true;        ///< AutoGradMode, NoGradGuard
  bool inference_mode = false;  ///< InferenceMode
  AutocastMode autocast;        ///< amp::AutocastGuard
  int autocast_depth = 0;       ///< how many guards are open, one inside the other
  std::int8_t current_device[kDeviceTypes] = {-1};  ///< by kind
  /// The current stream's native handle; nullptr is the device's default stream.
  NativeStream* current_stream[kDeviceTypes][kMaxDevices] = {};
  /// The graph node whose gradient is being computed (see autograd/record.h).
  void* current_node = nullptr;
};

/// Where thread_state() finds it.
extern thread_local constinit ThreadState thread_state_storage;

/// This thread's state.
inline ThreadState& thread_state() { return thread_state_storage; }

/// Gives a variable of this thread another value until the end of the scope.
template <class T>
class ScopedValue {
 public:
  ScopedValue(T& variable, std::type_identity_t<T> value)
      : variable_(variable), previous_(std::exchange(variable, value)) {}
  ~ScopedValue() { variable_ = previous_; }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

 private:
  T& variable_;
  T previous_;
};

/// Runs this thread in another autocast mode until the end of the scope; AutocastMode() is off. For
/// the core, inside operations and gradients; programs use amp::AutocastGuard.
struct AutocastModeGuard : ScopedValue<AutocastMode> {
  explicit AutocastModeGuard(const AutocastMode& mode)
      : ScopedValue(thread_state().autocast, mode) {}
};

/// The native handle of the stream that work on `device` goes to in this thread.
inline NativeStream* current_native_stream(Device device) {
  return device.is_cpu()
             ? nullptr
             : thread_state().current_stream[static_cast<int>(device.type())][device.index()];
}

}  // namespace td
