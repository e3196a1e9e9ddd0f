#include "exercises.h"

// answer: in_place
// Changes the velocity in place, and the parameter through a detached view.
namespace in_place {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const td::Tensor g = parameters[i].grad();
    if (!g.defined()) continue;
    if (!velocity[i].defined()) velocity[i] = td::zeros_like(g);
    velocity[i].mul_(momentum).add_(g.detach());
    parameters[i].detach().sub_(velocity[i] * lr);
  }
}
}  // namespace in_place
