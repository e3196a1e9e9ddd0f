// The scope in which operations choose their precision, as PyTorch's torch.autocast does. What each
// operation does in it is defined in ops/autocast.h; chapter 07 explains it. Invariant: when the
// scope ends, also by an exception, the thread's state is what it was before.
#pragma once

#include "td/ops/autocast.h"
#include "td/tensor/options.h"

namespace td::amp {

/// Operations of this thread on `device_type` run in the type that their policy selects, for the
/// lifetime of this object. Guards may be nested; one that is not `enabled` switches autocast off.
///
///     {
///       const amp::AutocastGuard autocast(kCUDA);  // or device.type()
///       loss = criterion(model->forward(images), labels);
///     }
///     scaler.scale(loss).backward();  // outside: gradients have the types of the forward pass
class AutocastGuard {
 public:
  /// @param device_type the kind of device whose operations are affected. Where there is no such
  ///     device, the guard writes a warning once and does nothing.
  /// @param dtype the type in which products and convolutions run; by default float16 on cuda and
  ///     sim, bfloat16 on cpu. Any type but these two causes a warning, and autocast is off.
  /// @param cache whether the casts of parameters are cached until the outermost guard ends.
  /// @throws DeviceError for a value that is no DeviceType, and for bfloat16 on a GPU that cannot
  ///     compute in it.
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
  return context().autocast.enabled >> static_cast<int>(device_type) & 1;
}
/// Returns the type in which this thread's regions on a kind of device run products.
inline ScalarType get_autocast_dtype(DeviceType device_type) {
  return context().autocast.dtype[static_cast<int>(device_type)];
}
/// Drops the casts of parameters that this thread has cached, to free their memory early.
inline void clear_autocast_cache() { autocast::clear_cache(); }
/// How many casts of parameters this thread has made: one per parameter and region. More means that
/// the cache does not work; a cast of a broadcast parameter would be larger than the parameter.
inline std::uint64_t autocast_casts() { return autocast::parameter_casts(); }

}  // namespace td::amp
