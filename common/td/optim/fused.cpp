// Layouts for the fused kernels, and the check of gradients.
#include "td/optim/fused.h"

#include "td/ops/ops.h"

namespace td::optim {

bool is_dense(const Tensor& tensor) {
  return tensor.is_contiguous() ||
         preserved_strides(tensor.sizes(), tensor.strides()) == Sizes(tensor.strides());
}

bool same_layout(const Tensor& a, const Tensor& b) {
  if (a.is_contiguous() && b.is_contiguous()) return true;
  return a.strides() == b.strides() && is_dense(a);
}

Tensor zeros_in_layout(const Tensor& like) { return empty_like(like).zero_(); }

Tensor in_layout(const Tensor& tensor, const Tensor& param) {
  if (tensor.device() == param.device() && tensor.dtype() == param.dtype() &&
      same_layout(tensor, param))
    return tensor;
  Tensor moved = empty_like(param);
  moved.copy_(tensor);
  return moved;
}

Tensor gradient_for(const char* optimizer, const Tensor& param) {
  const Tensor& gradient = param.grad();
  TD_CHECK(
      DeviceError, gradient.device() == param.device(), optimizer, ": a parameter of size ",
      param.sizes(), " is on ", param.device(), " but its gradient is on ", gradient.device(),
      ". Move the whole module with to(), which takes gradients along, or call zero_grad(true) "
      "and backward() again.");
  TD_CHECK(DtypeError, gradient.dtype() == param.dtype(), optimizer, ": a parameter of size ",
           param.sizes(), " is ", param.dtype(), " but its gradient is ", gradient.dtype(),
           "; convert the whole module with to(), which takes gradients along");
  TD_CHECK(ShapeError, gradient.sizes() == param.sizes(), optimizer, ": a parameter of size ",
           param.sizes(), " has a gradient of size ", gradient.sizes());
  return in_layout(gradient, param);
}

}  // namespace td::optim
