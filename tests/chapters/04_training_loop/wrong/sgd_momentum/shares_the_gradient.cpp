// expect: the velocity after the gradient was set to zero: index 0: expected 2, got 0
// Right as long as the program does not call zero_grad: the first velocity is the gradient itself.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad();
    p.sub_(velocity[i] * lr);
  }
}
