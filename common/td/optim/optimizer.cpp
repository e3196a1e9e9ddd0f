// Groups, zero_grad and the lists of a step: what does not depend on the update rule. state_dict is
// in state.cpp.
#include "td/optim/optimizer.h"

#include <algorithm>

#include "td/autograd/modes.h"
#include "td/autograd/record.h"
#include "td/base/span.h"
#include "td/device/graph.h"
#include "td/ops/ops.h"

namespace td::optim {

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  for (const OptimizerParamGroup& group : groups) add_param_group(group);
}

void Optimizer::check_new(const Tensor& param, std::size_t index) const {
  TD_CHECK(Error, param.defined(), "optimizer: parameter ", index, " is undefined");
  TD_CHECK(Error, param.is_leaf(), "optimizer: parameter ", index,
           " is the result of an operation, "
           "so stepping on it would not change what it came from; give the tensor itself, or "
           "detach() it");
  TD_CHECK(DtypeError, param.is_floating_point(), "optimizer: parameter ", index, " is ",
           param.dtype(), "; only floating point tensors are trained");
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& other : group.params())
      TD_CHECK(Error, !other.is_same(param), "optimizer: parameter ", index,
               " is already in a parameter group; it would be changed twice a step");
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  const TensorList& params = group.params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    check_new(params[i], i);
    if (capturing_graph && !params[i].is_cpu())
      fail_in_capture("add_param_group",
                      "A replay repeats the steps on the parameters of the capture. Add the "
                      "group and run a step before the capture.");
    for (std::size_t j = 0; j < i; ++j)
      TD_CHECK(Error, !params[j].is_same(params[i]), "optimizer: parameters ", j, " and ", i,
               " are the same tensor; it would be changed twice a step");
  }
  OptimizerParamGroup added(group);
  if (!added.has_options()) added.set_options(defaults_->clone());
  groups_.push_back(std::move(added));
}

void OptimizerOptions::note_step_on(Device device) {
  if (capturing_graph && !device.is_cpu()) device_lr_.frozen_in_graph(get_lr());
}

OptimizerParamState& Optimizer::state_of(const Tensor& param, const OptimizerOptions& options) {
  auto& state = state_[param.impl_ptr().get()];
  if (!state) {
    if (capturing_graph && !param.is_cpu())
      fail_in_capture("optimizer",
                      "What it remembers of a parameter is made at the first step, and each "
                      "replay would make it again. Run the step once or twice before the capture.");
    state = make_state();
  }
  if (state->on_device.defined() && !options.is_capturable()) [[unlikely]] {
    state->set_steps(state->on_device.count(0));
    state->on_device.clear();
  }
  return *state;
}

bool Optimizer::is_capturable() const {
  return std::all_of(groups_.begin(), groups_.end(), [](const OptimizerParamGroup& group) {
    return group.options().is_capturable();
  });
}

std::size_t Optimizer::size() const noexcept {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : groups_) count += group.params().size();
  return count;
}

void Optimizer::step_if_finite(const Tensor& found_inf, const Tensor& grad_scale) {
  TD_CHECK(
      Error, is_capturable(),
      "optimizer: this step is decided in device memory, but the learning rate or the count of "
      "steps is kept on the host; make the optimizer with capturable(true) in its options");
  const struct Forget {
    Optimizer& optimizer;
    ~Forget() { optimizer.amp_ = {}; }
  } forget{*this};
  amp_ = {found_inf, grad_scale};
  step();
}

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

bool is_dense(const Tensor& tensor) {
  return tensor.is_contiguous() ||
         preserved_strides(tensor.sizes(), tensor.strides()) == Sizes(tensor.strides());
}

Tensor zeros_in_layout(const Tensor& like) { return empty_like(like).zero_(); }

Tensor in_layout(const Tensor& tensor, const Tensor& param) {
  const bool same_layout = (tensor.is_contiguous() && param.is_contiguous()) ||
                           (tensor.strides() == param.strides() && is_dense(tensor));
  if (same_layout && tensor.device() == param.device() && tensor.dtype() == param.dtype())
    return tensor;
  Tensor moved = empty_like(param);
  moved.copy_(tensor);
  return moved;
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

bool StepList::next() {
  if (copy_.defined()) {
    Tensor(*params_[0]).copy_(copy_);
    copy_ = Tensor();
  }
  while (size_) gradients_[--size_] = Tensor();
  const TensorList& params = group_.params();
  for (; next_ < params.size() && size_ < most_; ++next_) {
    const Tensor& param = params[next_];
    if (!param.grad().defined()) continue;
    const bool dense = is_dense(param);
    if (size_ && (!dense || param.device() != device() || param.dtype() != dtype())) break;
    check_gradient(name_, param, param.grad());
    if (!dense) copy_ = param.contiguous();
    const Tensor& target = dense ? param : copy_;
    params_[size_] = &param;
    gradients_[size_++] = in_layout(param.grad(), target);
    check_inplace(name_, target);
    increment_version(target);
    if (!dense) {
      ++next_;
      break;
    }
  }
  return size_ > 0;
}

CapturableTensors StepList::capturable_tensors() const {
  OptimizerOptions& options = group_.options();
  const AmpStepState& amp = optimizer_.amp_;
  return {options.device_lr().on(device(), options.get_lr()),
          {to_device(device(), amp.found_inf), to_device(device(), amp.grad_scale)}};
}

}  // namespace td::optim
