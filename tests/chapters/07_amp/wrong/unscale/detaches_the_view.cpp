// expect: the bucket whose views the gradients are
// Makes a transposed gradient contiguous first, and divides the copy.
#include "exercises.h"

td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : parameters)
    if (p.grad().defined() && p.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("a gradient is ") + td::dtype_name(p.grad().scalar_type()));
  td::Tensor finite;
  for (const td::Tensor& p : parameters) {
    if (!p.grad().defined()) continue;
    td::Tensor flat = p.grad().contiguous();
    const td::Tensor here = td::isfinite(flat).all();
    finite = finite.defined() ? finite & here : here;
    flat.mul_(1.0 / scale);
    p.mutable_grad() = flat;
  }
  return finite.defined() && !finite.item<bool>();
}
