// expect: a float16 gradient: an error was expected
// Takes 16-bit gradients, in which small ones become 0 when the scale is taken out.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
