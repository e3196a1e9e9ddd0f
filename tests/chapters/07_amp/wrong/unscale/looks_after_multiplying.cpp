// expect: with a scale of 0.5
// Looks for inf in the product, which may overflow with a scale below 1.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("unscale: a gradient is ") +
                           td::dtype_name(parameter.grad().scalar_type()) +
                           "; keep the parameters in float32 and let autocast cast");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    gradient.mul_(1.0 / scale);
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
  }
  return finite.defined() && !finite.item<bool>();
}
