// sgd_momentum: exercise 4.sgd_momentum, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  // blank: Without gradient tracking, per parameter: the velocity, then the step. About 9 lines.
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor parameter = parameters[i];  // a second handle on the same parameter
    const td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + gradient : gradient.clone();
    parameter.sub_(velocity[i] * lr);
  }
  // end
}
