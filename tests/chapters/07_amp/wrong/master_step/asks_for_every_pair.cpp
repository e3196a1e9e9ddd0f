// expect: combine the answers on the device
// Reads one value per pair.
#include "exercises.h"

bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    if (!td::isfinite(parameter.grad()).all().item<bool>()) return false;
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
