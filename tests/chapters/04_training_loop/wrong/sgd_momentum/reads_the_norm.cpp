// expect: times in one step
// Skips zero gradients: to know that, the host waits for every parameter.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    if (p.grad().abs().max().item<float>() == 0 && !velocity[i].defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
