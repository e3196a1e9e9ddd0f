// expect: the parameter of 1 elements on cpu: index 0
// An exponential average, as in Adam: the gradient is scaled by 1 - momentum.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() * (1 - momentum)
                                        : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
