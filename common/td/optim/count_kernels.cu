// The first launch of a capturable step: one thread a parameter counts the step and computes what
// follows from the count, in double as optim_kernels.cpp does on the host.
#include <cmath>

#include "td/optim/kernels.h"
#include "td/kernels/index_kernel.h"

namespace td {
namespace {

struct CountStep {
  double* numbers[kernels::kSgdCapturable];
  const double* lr;
  const float* found_inf;
  double beta1, beta2, decay;

  std::int64_t cost() const { return 256; }
  TD_HD void operator()(std::int64_t k) const {
    if (found_inf && *found_inf != 0) return;
    double* n = numbers[k];
    const double steps = n[0] + 1;
    n[0] = steps;
    n[1] = *lr / (1 - std::pow(beta1, steps));
    n[2] = std::sqrt(1 - std::pow(beta2, steps));
    n[3] = 1 - *lr * decay;
  }
};

}  // namespace

void kernels::count_step(const Tensor* const* numbers, std::size_t count, const AdamNumbers& rule,
                         const StepControl& control) {
  IndexKernel<CountStep> work{};
  CountStep& step = work.body;
  for (std::size_t k = 0; k < count; ++k) step.numbers[k] = kernel_pointer<double>(*numbers[k]);
  step.lr = kernel_pointer<double>(*control.lr);
  step.found_inf = control.found_inf ? kernel_pointer<float>(*control.found_inf) : nullptr;
  step.beta1 = rule.beta1;
  step.beta2 = rule.beta2;
  step.decay = rule.decoupled ? rule.weight_decay : 0;
  work.count = static_cast<std::int64_t>(count);
  const Tensor* reads[] = {control.lr, control.found_inf};
  launch("count_step", control.lr->device(), work, TensorRefs(reads, control.found_inf ? 2 : 1),
         TensorRefs(numbers, count));
}

}  // namespace td
