// Groups, zero_grad and state_dict: what does not depend on the rule of the step.
#include "td/optim/optimizer.h"

#include "td/autograd/accumulate.h"
#include "td/autograd/modes.h"
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
    for (std::size_t j = 0; j < i; ++j)
      TD_CHECK(Error, !params[j].is_same(params[i]), "optimizer: parameters ", j, " and ", i,
               " are the same tensor; it would be changed twice a step");
  }
  OptimizerParamGroup added(group);
  if (!added.has_options()) added.set_options(defaults_->clone());
  groups_.push_back(std::move(added));
}

std::size_t Optimizer::size() const noexcept {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : groups_) count += group.params().size();
  return count;
}

void Optimizer::zero_grad(bool set_to_none) {
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& param : group.params()) clear_gradient(param, set_to_none);
}

Tensor Optimizer::loss_of(const LossClosure& closure) {
  if (!closure) return {};
  AutoGradMode recording(true);
  return closure();
}

namespace {

Tensor number(double value) {
  Tensor tensor = empty({}, kDouble);
  *tensor.data_ptr<double>() = value;
  return tensor;
}

}  // namespace

StateDict Optimizer::state_dict() const {
  StateDict all("Entry");
  std::size_t index = 0;
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& param : group.params()) {
      const auto found = state_.find(param.impl_ptr().get());
      if (found != state_.end()) found->second->save("state." + std::to_string(index) + ".", all);
      ++index;
    }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::string prefix = "param_groups." + std::to_string(g) + ".";
    groups_[g].options().clone()->visit(
        [&](const char* name, double& value) { all.insert(prefix + name, number(value)); });
    all.insert(prefix + "params", number(static_cast<double>(groups_[g].params().size())));
  }
  return all;
}

void Optimizer::load_state_dict(const StateDict& state) {
  for (std::size_t g = 0; g <= groups_.size(); ++g) {
    const Tensor* count = state.find("param_groups." + std::to_string(g) + ".params");
    const bool expected = g < groups_.size();
    TD_CHECK(Error, (count != nullptr) == expected, "load_state_dict: the state has ",
             expected ? "fewer" : "more", " parameter groups than this optimizer's ",
             groups_.size());
    if (!expected) break;
    const std::size_t params = groups_[g].params().size();
    TD_CHECK(Error, count->item<std::size_t>() == params, "load_state_dict: parameter group ", g,
             " has ", params, " parameters here but ", count->item<std::size_t>(), " in the state");
  }
  std::size_t index = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].options().visit([&](const char* name, double& value) {
      const Tensor* found = state.find("param_groups." + std::to_string(g) + "." + name);
      if (found) value = found->item<double>();
    });
    for (const Tensor& param : groups_[g].params()) {
      auto loaded = make_state();
      loaded->load("state." + std::to_string(index++) + ".", state);
      state_[param.impl_ptr().get()] = std::move(loaded);
    }
  }
}

}  // namespace td::optim
