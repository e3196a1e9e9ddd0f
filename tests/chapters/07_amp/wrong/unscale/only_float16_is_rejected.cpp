// expect: a float64 gradient
// Rejects the 16-bit types only.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : parameters)
    if (p.grad().defined() && td::element_size(p.grad().scalar_type()) == 2)
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
