// All that the core keeps per thread, in one struct, so that an operation fetches it once:
// the modes an operation asks about, and the current device and stream of each kind.
#pragma once

#include <cstdint>

#include "td/device/device.h"

namespace td {

/// The modes and the current devices and streams of one thread.
struct ThreadState {
  bool grad_mode = true;        ///< AutoGradMode, NoGradGuard
  bool inference_mode = false;  ///< InferenceMode
  std::int8_t autocast = 0;     ///< bit per DeviceType: autocast is on there (td::amp)
  std::int8_t current_device[kDeviceTypes] = {-1, 0, 0};  ///< by kind
  /// The current stream's native handle; nullptr is the device's default stream.
  void* current_stream[kDeviceTypes][kMaxDevices] = {};
  /// The graph node whose gradient is being computed (see autograd/saved.h).
  void* current_node = nullptr;
};

/// Where thread_state() finds it.
extern thread_local constinit ThreadState thread_state_storage;

/// This thread's state.
inline ThreadState& thread_state() { return thread_state_storage; }

/// The native handle of the stream that work on `device` goes to in this thread.
inline void* current_native_stream(Device device) {
  return device.is_cpu()
             ? nullptr
             : thread_state().current_stream[static_cast<int>(device.type())][device.index()];
}

}  // namespace td
