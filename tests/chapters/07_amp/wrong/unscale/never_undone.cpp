// expect: the gradient: index 0: expected 2, got 131072
// Looks for overflows and leaves the scale in the gradients.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float) {
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  return finite.defined() && !finite.item<bool>();
}
