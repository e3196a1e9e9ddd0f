// expect: velocity 1, whose parameter has a gradient
// Leaves the loop at the first parameter without a gradient.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) return;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
