// Stochastic gradient descent with all its options. One launch updates up to 16 parameters; the
// update rule and the launch are in sgd.cu.
#pragma once

#include "td/optim/optimizer.h"

namespace td::optim {

/// Settings of SGD, with PyTorch's names.
struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr);
  void check() const override;
  bool is_capturable() const override { return capturable_; }
  void visit(const std::function<void(const char*, double&)>& f) override;
  /// Step size.
  TD_ARG(double, lr);
  /// Factor by which the momentum buffer v is multiplied before the gradient is added.
  TD_ARG(double, momentum) = 0;
  /// Share of the gradient that does not enter the momentum.
  TD_ARG(double, dampening) = 0;
  /// Factor of the parameter that is added to its gradient.
  TD_ARG(double, weight_decay) = 0;
  /// Uses grad + momentum * v instead of v for the update.
  TD_ARG(bool, nesterov) = false;
  /// Stores learning rate and step count in device memory, for captured graphs and for
  /// GradScaler::step_on_device(). Costs one more small launch.
  TD_ARG(bool, capturable) = false;
};

/// The state of SGD for one parameter.
struct SGDParamState : public OptimizerParamState {
  void save(const std::string& prefix, StateDict& state) const override;
  void load(const std::string& prefix, const StateDict& state) override;
  void set_steps(std::int64_t steps) override;
  /// The running sum of gradients; undefined before the first step with momentum.
  TD_ARG(Tensor, momentum_buffer) = {};
};

/// param -= lr * v, v = momentum * v + (1 - dampening) * (grad + weight_decay * param)
/// (Sutskever et al., 2013, in PyTorch's form: the first v is the gradient itself).
class SGD : public Optimizer {
 public:
  SGD(std::vector<OptimizerParamGroup> groups, SGDOptions defaults);
  SGD(TensorList params, SGDOptions defaults);
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override;
};

}  // namespace td::optim
