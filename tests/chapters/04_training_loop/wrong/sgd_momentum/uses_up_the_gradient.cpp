// expect: the gradient after the step
// Scales the gradient in place.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    td::Tensor g = p.grad();
    if (velocity[i].defined()) g.add_(velocity[i] * momentum);
    velocity[i] = g.clone();
    p.sub_(velocity[i] * lr);
  }
}
