// Numbers of capturable optimizers: made once, then changed in place, so that a recorded graph
// finds them where it did.
#include "td/optim/on_device.h"

#include "td/base/warning.h"
#include "td/device/capture.h"
#include "td/ops/ops.h"

namespace td::optim {

// Copies between accelerators are ordered by their streams; only the host must wait.
Tensor brought_to(Device device, const Tensor& number) {
  return number.defined() ? number.to(device, number.dtype(), /*non_blocking=*/!device.is_cpu())
                          : Tensor();
}

const Tensor& DeviceNumber::on(Device device, double value) {
  if (value != value_) set(value);
  for (const Tensor& copy : copies_)
    if (copy.device() == device) return copy;
  return copies_.emplace_back(full({}, value, TensorOptions(device).dtype(kDouble)));
}

void DeviceNumber::set(double value) {
  if (capturing_graph)
    refuse_in_capture("optimizer: a change of the learning rate",
                      "Each replay would set the rate of the capture again. Change it before the "
                      "capture and run a step, or between replays.");
  if (frozen_ && value != value_)
    warn_once(
        "optimizer: its learning rate was changed after its step was captured in a graph, which "
        "holds the old one as a number. Make the optimizer with capturable(true), or capture the "
        "step again.");
  value_ = value;
  for (const Tensor& copy : copies_) copy.fill_(value);
}

const Tensor& DeviceSteps::on(Device device, std::int64_t steps) {
  // Only the count matters: each step begins by computing the others from it.
  if (!numbers_.defined())
    numbers_ = full({kernels::kStepNumbers}, steps, TensorOptions(device).dtype(kDouble));
  else if (!(numbers_.device() == device))
    numbers_ = numbers_.to(device);
  return numbers_;
}

std::int64_t DeviceSteps::count(std::int64_t otherwise) const {
  return numbers_.defined() ? numbers_[0].item<std::int64_t>() : otherwise;
}

ControlOn::ControlOn(Tensor lr, const DeviceDecision& decision)
    : lr_(std::move(lr)),
      decision_{brought_to(lr_.device(), decision.found_inf),
                brought_to(lr_.device(), decision.grad_scale)} {}

kernels::StepControl ControlOn::get() const {
  const auto pointer = [](const Tensor& t) { return t.defined() ? &t : nullptr; };
  return {pointer(lr_), pointer(decision_.grad_scale), pointer(decision_.found_inf)};
}

}  // namespace td::optim
