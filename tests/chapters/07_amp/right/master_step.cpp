#include "exercises.h"

// answer: by_the_largest
// A finite largest magnitude of every gradient, and a step on data().
namespace by_the_largest {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  std::vector<td::Tensor> scaled(model.size());
  td::Tensor bad;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    scaled[i] = model[i].grad().detach().to(td::kFloat32) / scale;
    const td::Tensor here = (scaled[i] * 0 != 0).any();  // inf * 0 and NaN * 0 are NaN
    bad = bad.defined() ? bad | here : here;
  }
  if (bad.defined() && bad.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!scaled[i].defined()) continue;
    masters[i].detach().add_(scaled[i], -lr);
    model[i].detach().copy_(masters[i]);
  }
  return true;
}
}  // namespace by_the_largest
