// All that the core stores per thread and that changes what an operation does, in one struct, so
// that an operation fetches it once. What only makes a thread faster, such as caches, is where it
// is used.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

class Generator;
class Graph;
class GraphTask;

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

/// Where the work of one thread goes, and in which modes. Another thread that works for this one,
/// such as that of a replica, takes it over as a whole, except for what is `underway`.
struct Context {
  bool grad_mode = true;        ///< AutoGradMode, NoGradGuard
  bool inference_mode = false;  ///< InferenceMode
  AutocastMode autocast;        ///< amp::AutocastGuard
  int autocast_depth = 0;       ///< how many guards are open, one inside the other
  /// By kind; -1, the first device, until the program chooses one.
  std::int8_t current_device[kDeviceTypes] = {-1};
  /// The current stream's native handle; nullptr is the device's default stream.
  NativeStream* current_stream[kDeviceTypes][kMaxDevices] = {};
  Generator* generator = nullptr;  ///< GeneratorGuard; nullptr: the process's
  /// The number that the next recorded operation gets. The engine runs later numbers first, so
  /// threads that record parts of one graph pass it on.
  std::uint64_t next_sequence = 0;

  /// What this very thread is doing.
  struct Underway {
    void* node = nullptr;             ///< whose gradient is being computed (autograd/record.h)
    GraphTask* graph_task = nullptr;  ///< the innermost backward pass
    Graph* capture = nullptr;         ///< the graph that is being captured (device/graph.h)
    /// By kind, the pool that new memory of devices comes from; 0 is the one that all threads
    /// share.
    std::uint64_t memory_pool[kDeviceTypes] = {};
    bool clones_share = false;  ///< nn::SharedCloneGuard
  };
  Underway underway;  ///< stays behind when another thread takes the context over
};

/// Where context() finds it.
extern thread_local constinit Context context_of_thread;

/// This thread's context.
inline Context& context() { return context_of_thread; }

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
  explicit AutocastModeGuard(const AutocastMode& mode) : ScopedValue(context().autocast, mode) {}
};

/// The native handle of the stream that work on `device` goes to in this thread.
inline NativeStream* current_native_stream(Device device) {
  return device.is_cpu()
             ? nullptr
             : context().current_stream[static_cast<int>(device.type())][device.index()];
}

/// The pool that this thread takes memory of such devices from; 0 is the one that all share.
inline std::uint64_t& memory_pool(DeviceType type) {
  return context().underway.memory_pool[static_cast<int>(type)];
}

}  // namespace td
