// What the kernels of the optimizers share: numbers that change from step to step. In a plain step
// the host passes them by value. In a capturable one the kernel takes the learning rate, the count
// of steps and the loss scale from device memory when it runs. Included by sgd.cu and adam.cu.
// Invariant: nothing here waits for the device.
#pragma once

#include <cmath>

#include "td/kernels/index_kernel.h"
#include "td/optim/parameter_list.h"
#include "td/optim/step_list.h"

namespace td::optim {
namespace {

/// The parameters of the exponential averages and the decay of decoupled weights; SGD has none.
struct StepRates {
  double beta1 = 0;  ///< of the gradients
  double beta2 = 0;  ///< of their squares
  double decay = 0;  ///< of the parameters
};

/// Counts the step of each parameter in the first of its DeviceStepState numbers, and computes the
/// others from the new count, in double as a plain step does on the host. A launch of its own,
/// because all threads of the step read the result.
struct CountStep {
  static constexpr int kMost = 15;  ///< parameters in one launch
  double* numbers[kMost];
  const double* lr;
  const float* found_inf;
  StepRates rates;

  std::int64_t cost() const { return 256; }
  TD_HD void operator()(std::int64_t k) const {
    if (found_inf && *found_inf != 0) return;
    double* n = numbers[k];
    const double steps = n[0] + 1;
    n[0] = steps;
    n[1] = *lr / (1 - std::pow(rates.beta1, steps));
    n[2] = std::sqrt(1 - std::pow(rates.beta2, steps));
    n[3] = 1 - *lr * rates.decay;
  }
};

/// A list of parameters, and what a capturable step reads on the device; nullptr in a plain one.
/// @tparam C the type that the rule computes in.
template <class C, int kMost, int kExtentsOfEach>
struct StepWork : ParameterList<kMost, kExtentsOfEach> {
  const double* numbers[kMost] = {};  // DeviceStepState of each tensor
  const float* grad_scale = nullptr;
  const float* found_inf = nullptr;

  TD_HD bool skips() const { return found_inf && *found_inf != 0; }
  /// `rule` as it is for tensor k in this step.
  template <class Rule>
  TD_HD Rule in_step(Rule rule, int k) const {
    if (numbers[k]) rule.read(numbers[k]);
    rule.unscale = reciprocal<C>(grad_scale);
    return rule;
  }
};

/// Parameters in one capturable launch: it also reads the numbers of each, and the loss scale and
/// found_inf.
template <class Work>
inline constexpr int kMostCapturable = std::min({Work::kMax, CountStep::kMost,
                                                 (Record::kMaxExtents - 2) / (Work::kExtents + 1)});

/// Counts the step of every parameter in `list` on its device, and lets `work` read the result.
/// @param tensors what `work` reads and writes.
/// @param restart one bit per parameter: its steps are counted from 0 again.
template <class Work>
void count_on_device(Work& work, LaunchTensors& tensors, StepList& list, const StepRates& rates,
                     std::uint32_t restart = 0) {
  const CapturableTensors& control = list.capturable_tensors();
  CountStep count{{}, Pointer{control.lr}, Pointer{control.found_inf}, rates};
  const Tensor* numbers[CountStep::kMost];
  for (std::size_t k = 0; k < list.size(); ++k) {
    auto& state = list.state<OptimizerParamState>(k);
    const bool again = restart >> k & 1;
    if (again) state.on_device.clear();
    numbers[k] = &state.on_device.on(list.device, again ? 0 : state.steps());
    count.numbers[k] = kernel_pointer<double>(*numbers[k]);
    work.numbers[k] = tensors.reads<double>(*numbers[k]);
  }
  const IndexKernel<CountStep> counting{count, static_cast<std::int64_t>(list.size())};
  launch("count_step", list.device, counting, {&control.lr, &control.found_inf},
         TensorRefs(numbers, list.size()));
  work.grad_scale = tensors.reads<float>(control.grad_scale);
  work.found_inf = tensors.reads<float>(control.found_inf);
}

}  // namespace
}  // namespace td::optim
