// expect: the master after step 2
// Divides the gradient in place.
#include "exercises.h"

bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    model[i].mutable_grad().mul_(0.5);
    parameter.copy_(master);
  }
  return true;
}
