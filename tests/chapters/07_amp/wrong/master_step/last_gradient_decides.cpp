// expect: the step was reported as made
// Keeps only the answer of the last gradient.
#include "exercises.h"

bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
