// expect: nan in gradient 0 of 3 on cpu was not found
// NaN is not larger than anything: comparing with the largest number finds infinity only.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor found;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = (gradient.abs() > 3.4028234e38f).any();
    found = found.defined() ? found | here : here;
    gradient.mul_(1.0 / scale);
  }
  return found.defined() && found.item<bool>();
}
