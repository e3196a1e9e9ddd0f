// expect: 20 gradients were read by the host 20 times
// Right, and slow: the host waits for the device at every parameter.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  bool found = false;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (!td::isfinite(gradient).all().item<bool>()) found = true;
    gradient.mul_(1.0 / scale);
  }
  return found;
}
