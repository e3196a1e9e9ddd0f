// What a capturable optimizer stores in device memory: learning rates and counts of steps. A graph
// that captured a step reads them there at every replay, where the host's values would be those of
// the capture. Plain steps use none of this. Invariant: once made, the tensors change in place, so
// that a captured graph finds them. The kernels' side is capturable_list.h.
#pragma once

#include "td/base/objects.h"
#include "td/tensor/tensor.h"

namespace td::optim {

/// A number of the host that kernels read from device memory.
class DeviceScalar {
 public:
  DeviceScalar() = default;
  /// A copy belongs to another optimizer and gets memory of its own.
  DeviceScalar(const DeviceScalar&) {}
  DeviceScalar& operator=(const DeviceScalar&) { return *this; }

  /// The number as a float64 tensor on `device`, made at the first call and set to `value`.
  const Tensor& on(Device device, double value);
  /// Sets it on every device that has it, by a launch on the current stream.
  /// @throws DeviceError while a graph is captured.
  void set(double value);
  /// Called by a plain step on `device`, whose kernels get the number by value. A graph that is
  /// being captured holds that value from then on, so set() warns when it changes.
  void passed_by_value(Device device, double value);

 private:
  double value_ = 0;
  bool frozen_ = false;
  SmallVector<Tensor, 1> copies_;  // one per device
};

/// What one parameter's capturable step computes with, four float64 on its device: steps made, step
/// size (lr / (1 - beta1^t) for Adam, lr for SGD), sqrt(1 - beta2^t), factor of the parameter.
class DeviceStepState {
 public:
  static constexpr std::int64_t kSize = 4;  ///< how many numbers
  /// The numbers on `device`; counting begins at `steps` where nothing was counted yet.
  const Tensor& on(Device device, std::int64_t steps);
  /// Steps counted so far, `otherwise` where nothing was. Waits for the device.
  std::int64_t count(std::int64_t otherwise) const;
  /// Drops the count.
  void clear() { numbers_ = Tensor(); }
  /// Whether anything was counted yet.
  bool defined() const { return numbers_.defined(); }

 private:
  Tensor numbers_;
};

/// @name What a replay would repeat, or do with the numbers of the capture
/// @throws DeviceError while a graph is captured, unless `device` is the cpu.
/// @{
/// Called before a parameter on `device` is added to an optimizer.
void check_may_add_params(Device device);
/// Called before the first step of a parameter on `device` makes its state.
void check_may_make_state(Device device);
/// Called by a plain step of Adam, which counts on the host.
void check_may_count_on_host(Device device);
/// @}

/// What the kernels of one launch read in addition to the parameters, on their device. The last two
/// are undefined in a plain step, see Optimizer::step_if_finite().
struct CapturableTensors {
  Tensor lr;          ///< float64
  Tensor found_inf;   ///< float32: 1 when a gradient is infinite or NaN, and nothing is to change
  Tensor grad_scale;  ///< float32: what the gradients are still multiplied by
};

}  // namespace td::optim
