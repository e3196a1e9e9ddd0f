// expect: velocity 0, whose parameter has no gradient
// Right while every parameter has a gradient.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (velocity[i].defined()) velocity[i] = velocity[i] * momentum;
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] + p.grad() : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
