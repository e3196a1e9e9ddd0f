// expect: parameter 0, which has a velocity but no gradient
// A parameter without a gradient continues with its velocity.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (p.grad().defined())
      velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    if (velocity[i].defined()) p.sub_(velocity[i] * lr);
  }
}
