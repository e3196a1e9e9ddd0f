// What zero_grad() and step() do before an update rule sees a parameter: gradients become zero, and
// parameters are collected in lists for one launch each.
#include "td/autograd/modes.h"
#include "td/autograd/record.h"
#include "td/base/span.h"
#include "td/ops/op.h"
#include "td/optim/step_list.h"

namespace td::optim {

void Optimizer::zero_grad(bool set_to_none) {
  const trace::Span span("Optimizer.zero_grad", trace::Category::kOperator);
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& param : group.params()) clear_gradient(param, set_to_none);
}

Tensor Optimizer::loss_of(const LossClosure& closure) {
  if (!closure) return {};
  AutoGradMode recording(true);
  return closure();
}

StepList::StepList(Optimizer& optimizer, const char* name, std::size_t most,
                   std::size_t most_capturable)
    : optimizer_(optimizer), name_(name), most_(most), most_capturable_(most_capturable) {}

bool StepList::next() {
  if (copy_.defined()) {
    Tensor(*original_).copy_(copy_);
    copy_ = Tensor();
  }
  grad.clear();
  for (; group_ < optimizer_.groups_.size(); ++group_, next_ = 0) {
    OptimizerParamGroup& group = optimizer_.groups_[group_];
    options = &group.options();
    const std::size_t most = options->is_capturable() ? most_capturable_ : most_;
    while (next_ < group.params().size() && size() < most && add(group.params()[next_])) ++next_;
    if (size()) return true;
  }
  return false;
}

namespace {

void check_gradient(const char* optimizer, const Tensor& param, const Tensor& gradient) {
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
}

}  // namespace

// Adds the parameter if it has a gradient; false when it must begin another list.
bool StepList::add(const Tensor& parameter) {
  const Tensor& gradient = parameter.grad();
  if (!gradient.defined()) return true;
  const bool dense = is_dense(parameter.sizes(), parameter.strides());
  if (size() &&
      (copy_.defined() || !dense || parameter.device() != device || parameter.dtype() != dtype))
    return false;
  check_gradient(name_, parameter, gradient);
  device = parameter.device();
  dtype = parameter.dtype();
  if (!dense) {
    copy_ = parameter.contiguous();
    original_ = &parameter;
  }
  const Tensor& target = dense ? parameter : copy_;
  param[size()] = &target;
  grad.push_back(in_layout(gradient, target));
  begin_inplace(name_, target);
  return true;
}

Tensor in_layout(const Tensor& tensor, const Tensor& param) {
  if (!tensor.defined()) return empty_like(param).zero_();
  const bool same_layout =
      (tensor.is_contiguous() && param.is_contiguous()) ||
      (tensor.strides() == param.strides() && is_dense(tensor.sizes(), tensor.strides()));
  if (same_layout && tensor.device() == param.device() && tensor.dtype() == param.dtype())
    return tensor;
  Tensor moved = empty_like(param);
  moved.copy_(tensor);
  return moved;
}

}  // namespace td::optim
