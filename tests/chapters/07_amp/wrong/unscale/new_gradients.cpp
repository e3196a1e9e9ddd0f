// expect: the gradient as a bucket holds it: index 0: expected 1, got 8
// A new tensor instead of the gradient: a holder of the old one sees the scale.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    parameter.mutable_grad() = parameter.grad() / scale;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  return finite.defined() && !finite.item<bool>();
}
