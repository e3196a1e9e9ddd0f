// unscale: exercise 7.unscale, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) {
  // blank: Convert to float32, then multiply. 1 line.
  return loss.to(td::kFloat32) * scale;
  // end
}

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  // blank: Check types; look for inf and NaN on the device; multiply; read once. About 14 lines.
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
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
  // end
}
