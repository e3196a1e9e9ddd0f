// The scope in which operations choose their precision: PyTorch's torch.autocast. What each
// operation does in it stands in ops/autocast.h. Chapter 07 is about it. Invariant: when the scope
// ends, however it ends, the thread is as it was before.
#pragma once

#include "td/ops/autocast.h"
#include "td/tensor/options.h"

namespace td::amp {

/// Operations of this thread on `device_type` run in the type that their policy says, for as long
/// as this lives. Guards may be nested; one that is not `enabled` switches autocast off in between.
///
///     {
///       const amp::AutocastGuard autocast(kCUDA);  // or device.type()
///       loss = criterion(model->forward(images), labels);
///     }
///     scaler.scale(loss).backward();  // outside: gradients have the types of their forward
class AutocastGuard {
 public:
  /// @param device_type the kind whose operations are meant. Where there is no such device, a
  ///     warning is written once, and the guard does nothing.
  /// @param dtype what products and convolutions run in: float16 on cuda and sim, bfloat16 on cpu
  ///     unless given. Any other type than these two is a warning, and autocast is off.
  /// @param cache whether the casts of parameters are kept until the outermost guard ends.
  /// @throws DeviceError for a kind of device that there is not, and for bfloat16 on a GPU that
  ///     cannot compute in it.
  explicit AutocastGuard(DeviceType device_type, optional<ScalarType> dtype = nullopt,
                         bool enabled = true, bool cache = true);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  AutocastMode previous_;
};

/// Whether autocast is on for operations of this thread on a kind of device.
inline bool is_autocast_enabled(DeviceType device_type) {
  return thread_state().autocast.enabled >> static_cast<int>(device_type) & 1;
}
/// What this thread's regions on a kind of device run products in.
inline ScalarType get_autocast_dtype(DeviceType device_type) {
  return thread_state().autocast.dtype[static_cast<int>(device_type)];
}
/// Forgets the casts of parameters that this thread keeps, to give back their memory early.
inline void clear_autocast_cache() { autocast::clear_cache(); }
/// Casts of parameters that this thread made so far: one for each parameter and region. More means
/// that the cache does not work; a broadcast one would be larger than the parameter.
inline std::uint64_t autocast_casts() { return autocast::parameter_casts(); }

}  // namespace td::amp
