// expect: a view of the parameter on cpu
// The handle is the same, the memory is not: other views keep the old values.
#include "exercises.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p.set_data(p - velocity[i] * lr);
  }
}
