// What a capturable optimizer keeps in device memory: learning rates and counts of steps, which a
// recorded graph must read there to see them change. Used by SGD and Adam.
#pragma once

#include "td/base/small_vector.h"
#include "td/optim/kernels.h"
#include "td/tensor/tensor.h"

namespace td::optim {

/// A number's tensor on `device`; waits only for the host to have it. Undefined stays undefined.
Tensor brought_to(Device device, const Tensor& number);

/// A number of the host that kernels read in device memory.
class DeviceNumber {
 public:
  DeviceNumber() = default;
  /// A copy is another optimizer's and gets memory of its own.
  ///@{
  DeviceNumber(const DeviceNumber&) {}
  DeviceNumber& operator=(const DeviceNumber&) { return *this; }
  ///@}

  /// The number as a float64 tensor on `device`, made at the first call and set to `value`.
  const Tensor& on(Device device, double value);
  /// Sets it on every device where it is, by a launch on the current stream.
  /// @throws DeviceError while a graph is captured.
  void set(double value);
  /// Notes that a graph being captured holds the host's number: set() warns when it takes another.
  void frozen_in_graph(double value) { value_ = value, frozen_ = true; }

 private:
  double value_ = 0;
  bool frozen_ = false;
  SmallVector<Tensor, 1> copies_;  // one a device
};

/// How often a parameter was stepped on, counted on its device (kernels::kStepNumbers).
class DeviceSteps {
 public:
  /// The numbers on `device`; counting begins at `steps` where nothing was counted yet.
  const Tensor& on(Device device, std::int64_t steps);
  /// Steps counted so far, `otherwise` where nothing was. Waits for the device.
  std::int64_t count(std::int64_t otherwise) const;
  /// Forgets the count.
  void clear() { numbers_ = Tensor(); }
  /// Whether anything was counted yet.
  bool defined() const { return numbers_.defined(); }

 private:
  Tensor numbers_;
};

/// What decides a step in device memory: see Optimizer::step_if_finite(). Undefined in a plain
/// step.
struct DeviceDecision {
  Tensor found_inf;   ///< 1 when a gradient is infinite or NaN, and nothing is to change
  Tensor grad_scale;  ///< what the gradients are still multiplied by
};

/// What the kernels of one launch read beside the parameters, on the parameters' device.
class ControlOn {
 public:
  /// @param lr as DeviceNumber::on() gives it.
  ControlOn(Tensor lr, const DeviceDecision& decision);
  kernels::StepControl get() const;

 private:
  Tensor lr_;
  DeviceDecision decision_;
};

}  // namespace td::optim
