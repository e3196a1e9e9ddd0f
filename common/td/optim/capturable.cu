// See capturable.h; and the first launch of a capturable step, in which one thread per parameter
// counts the step and computes what follows from the count, in double as a plain step does on the
// host.
#include "td/optim/capturable.h"

#include <cmath>

#include "td/base/error.h"
#include "td/device/graph.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/ops.h"

namespace td::optim {
namespace {

struct CountStep {
  double* numbers[kCountedSteps];
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

}  // namespace

void count_step(const Tensor* const* numbers, std::size_t count, const StepRates& rates,
                const CapturableTensors& tensors) {
  IndexKernel<CountStep> work{};
  CountStep& step = work.body;
  for (std::size_t k = 0; k < count; ++k) step.numbers[k] = kernel_pointer<double>(*numbers[k]);
  step.lr = kernel_pointer<double>(tensors.lr);
  step.found_inf = tensors.found_inf.defined() ? kernel_pointer<float>(tensors.found_inf) : nullptr;
  step.rates = rates;
  work.count = static_cast<std::int64_t>(count);
  launch("count_step", tensors.lr.device(), work, {&tensors.lr, &tensors.found_inf},
         TensorRefs(numbers, count));
}

// Copies between accelerators are ordered by their streams; only the host must wait.
Tensor to_device(Device device, const Tensor& number) {
  return number.defined() ? number.to(device, number.dtype(), /*non_blocking=*/!device.is_cpu())
                          : Tensor();
}

const Tensor& DeviceScalar::on(Device device, double value) {
  if (value != value_) set(value);
  for (const Tensor& copy : copies_)
    if (copy.device() == device) return copy;
  return copies_.emplace_back(full({}, value, TensorOptions(device).dtype(kDouble)));
}

void DeviceScalar::set(double value) {
  if (capturing_graph)
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

}  // namespace td::optim
