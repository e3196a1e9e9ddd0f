// expect: must not change
// Stops at the first gradient with an overflow, after other pairs changed.
#include "exercises.h"

bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    if (!td::isfinite(model[i].grad()).all().item<bool>()) return false;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
