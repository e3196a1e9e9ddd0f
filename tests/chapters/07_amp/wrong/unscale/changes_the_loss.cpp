// expect: the loss after scale_loss
// Multiplies the loss in place.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) {
  if (loss.requires_grad()) return loss.to(td::kFloat32) * scale;
  return loss.to(td::kFloat32).mul_(scale);
}

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : parameters)
    if (p.grad().defined() && p.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("a gradient is ") + td::dtype_name(p.grad().scalar_type()));
  td::Tensor finite;
  for (const td::Tensor& p : parameters) {
    if (!p.grad().defined()) continue;
    const td::Tensor here = td::isfinite(p.grad()).all();
    finite = finite.defined() ? finite & here : here;
    p.mutable_grad().mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
