// Groups and zero_grad: what does not depend on the rule of the step. state_dict is in state.cpp.
#include "td/optim/optimizer.h"

#include "td/autograd/accumulate.h"
#include "td/autograd/modes.h"
#include "td/device/capture.h"
#include "td/ops/ops.h"
#include "td/base/span.h"

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
      refuse_in_capture("add_param_group",
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

std::unique_ptr<OptimizerParamState> Optimizer::first_state(const Tensor& param) const {
  if (capturing_graph && !param.is_cpu())
    refuse_in_capture("optimizer",
                      "What it remembers of a parameter is made at the first step, and each replay "
                      "would make it anew. Run the step once or twice before the capture.");
  return make_state();
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
    ~Forget() { optimizer.decision_ = {}; }
  } forget{*this};
  decision_ = {found_inf, grad_scale};
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

}  // namespace td::optim
