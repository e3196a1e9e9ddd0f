// expect: inf in gradient 0 of 3 on cpu was not found
// Each gradient overwrites the result of the one before. Right with one parameter.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    finite = td::isfinite(gradient).all();
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
