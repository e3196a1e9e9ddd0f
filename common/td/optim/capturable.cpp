// See capturable.h.
#include "td/optim/capturable.h"

#include "td/base/error.h"
#include "td/device/graph.h"
#include "td/ops/op.h"
#include "td/ops/ops.h"
#include "td/optim/step_list.h"

namespace td::optim {
namespace {

bool captures(Device device) { return capturing_graph() && !device.is_cpu(); }

}  // namespace

void check_may_add_params(Device device) {
  if (captures(device)) [[unlikely]]
    fail_in_capture("add_param_group",
                    "A replay repeats the steps on the parameters of the capture. Add the "
                    "group and run a step before the capture.");
}

void check_may_make_state(Device device) {
  if (captures(device)) [[unlikely]]
    fail_in_capture("optimizer",
                    "What it remembers of a parameter is made at the first step, and each "
                    "replay would make it again. Run the step once or twice before the capture.");
}

void check_may_count_on_host(Device device) {
  if (captures(device)) [[unlikely]]
    fail_in_capture("Adam",
                    "Its count of steps lies on the host and would be the same in each replay. "
                    "Make it with AdamOptions(lr).capturable(true).");
}

void DeviceScalar::passed_by_value(Device device, double value) {
  if (captures(device)) value_ = value, frozen_ = true;
}

const Tensor& DeviceScalar::on(Device device, double value) {
  if (value != value_) set(value);
  for (const Tensor& copy : copies_)
    if (copy.device() == device) return copy;
  return copies_.emplace_back(full({}, value, TensorOptions(device).dtype(kDouble)));
}

void DeviceScalar::set(double value) {
  if (capturing_graph())
    fail_in_capture("optimizer: a change of the learning rate",
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

const Tensor& DeviceStepState::on(Device device, std::int64_t steps) {
  // Only the count matters: each step begins by computing the others from it.
  if (!numbers_.defined())
    numbers_ = full({kSize}, steps, TensorOptions(device).dtype(kDouble));
  else if (!(numbers_.device() == device))
    numbers_ = numbers_.to(device);
  return numbers_;
}

std::int64_t DeviceStepState::count(std::int64_t otherwise) const {
  return numbers_.defined() ? numbers_[0].item<std::int64_t>() : otherwise;
}

const CapturableTensors& StepList::capturable_tensors() {
  const auto here = [&](const Tensor& number) {
    return number.defined() ? to_device(number, device) : number;
  };
  const CapturableTensors& amp = optimizer_.amp_;
  return read_ = {options->device_lr().on(device, options->get_lr()), here(amp.found_inf),
                  here(amp.grad_scale)};
}

}  // namespace td::optim
