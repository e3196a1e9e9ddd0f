// The capturable form of an optimizer's kernel: the same work, whose rule takes the learning rate,
// the count of steps and the loss scale from device memory when it runs. Included by sgd.cu and
// adam.cu. Invariant: nothing here waits for the device.
#pragma once

#include "td/optim/parameter_list.h"
#include "td/optim/step_list.h"

namespace td::optim {
namespace {

/// A plain work with what it reads on the device. Its rule has read(numbers) and `unscale`.
template <class Work>
struct Capturable : Work {
  const float* grad_scale = nullptr;
  const float* found_inf = nullptr;
  const double* numbers[Work::kMax] = {};  // DeviceStepState of each tensor

  TD_HD bool skips() const { return found_inf && *found_inf != 0; }
  TD_HD auto rule_of(int k) const {
    auto rule = Work::rule_of(k);
    rule.read(numbers[k]);
    rule.unscale = reciprocal<typename Work::C>(grad_scale);
    return rule;
  }
};

/// Counts the step of every parameter in `list`, then launches `plain` in its capturable form.
/// @param tensors what `plain` reads and writes.
/// @param restart one bit per parameter: its steps are counted from 0 again.
template <class Work>
void launch_capturable(const char* name, const Work& plain, LaunchTensors& tensors, StepList& list,
                       const StepRates& rates, std::uint32_t restart = 0) {
  const CapturableTensors control = list.capturable_tensors();
  Capturable<Work> work{plain};
  const Tensor* numbers[kCountedSteps];
  for (std::size_t k = 0; k < list.size(); ++k) {
    auto& state = list.state<OptimizerParamState>(k);
    const bool again = restart >> k & 1;
    if (again) state.on_device.clear();
    numbers[k] = &state.on_device.on(list.device, again ? 0 : state.steps());
    work.numbers[k] = tensors.reads<double>(*numbers[k]);
  }
  count_step(numbers, list.size(), rates, control);
  work.grad_scale = tensors.reads<float>(control.grad_scale);
  work.found_inf = tensors.reads<float>(control.found_inf);
  tensors.launch(name, work);
}

}  // namespace
}  // namespace td::optim
