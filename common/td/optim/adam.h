// Adam and AdamW: steps scaled by running averages of the gradient and its square. They differ in
// how the weight decays. One launch updates up to 12 parameters; rule and launch are in adam.cu.
#pragma once

#include <tuple>

#include "td/optim/optimizer.h"

namespace td::optim {

/// Settings of Adam, where weight_decay is added to the gradient, and of AdamW, where the decay is
/// decoupled: it shrinks the parameter itself.
template <bool decoupled>
struct AdamOptionsBase : public OptimizerCloneableOptions<AdamOptionsBase<decoupled>> {
  using Betas = std::tuple<double, double>;
  AdamOptionsBase(double lr = 1e-3) : lr_(lr) {}
  void check() const override;
  bool is_capturable() const override { return capturable_; }
  void visit(const std::function<void(const char*, double&)>& f) override;
  /// Step size.
  TD_ARG(double, lr);
  /// How much of the two averages is kept at each step.
  TD_ARG(Betas, betas) = Betas(0.9, 0.999);
  /// Added to the root of the squares.
  TD_ARG(double, eps) = 1e-8;
  /// Pulls parameters towards zero.
  TD_ARG(double, weight_decay) = decoupled ? 1e-2 : 0;
  /// Divides by the largest average of squares so far.
  TD_ARG(bool, amsgrad) = false;
  /// Stores learning rate and step count in device memory, for captured graphs and for
  /// GradScaler::step_on_device(). Costs one more small launch.
  TD_ARG(bool, capturable) = false;
};
/// By libtorch's names.
using AdamOptions = AdamOptionsBase<false>;
using AdamWOptions = AdamOptionsBase<true>;

/// The state of Adam and AdamW for one parameter.
struct AdamParamState : public OptimizerParamState {
  void save(const std::string& prefix, StateDict& state) const override;
  void load(const std::string& prefix, const StateDict& state) override;
  std::int64_t steps() const override { return step_; }
  void set_steps(std::int64_t steps) override { step_ = steps; }
  /// How many steps were made; of a capturable optimizer, before on_device began to count.
  TD_ARG(std::int64_t, step) = 0;
  /// Running average of gradients.
  TD_ARG(Tensor, exp_avg) = {};
  /// Running average of their squares.
  TD_ARG(Tensor, exp_avg_sq) = {};
  /// The largest exp_avg_sq so far.
  TD_ARG(Tensor, max_exp_avg_sq) = {};
};
/// AdamW keeps the same.
using AdamWParamState = AdamParamState;

/// Base of both.
template <bool decoupled>
class AdamBase : public Optimizer {
 public:
  using Options = AdamOptionsBase<decoupled>;
  AdamBase(std::vector<OptimizerParamGroup> groups, Options defaults = {})
      : Optimizer(std::move(groups), defaults.clone()) {}
  AdamBase(TensorList params, Options defaults = {})
      : AdamBase(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override {
    return std::make_unique<AdamParamState>();
  }
};

/// param -= lr * m / (sqrt(v) + eps), for bias-corrected averages m and v (Kingma and Ba, 2015).
class Adam : public AdamBase<false> {
 public:
  using AdamBase::AdamBase;
};
/// The same with decoupled weight decay (Loshchilov and Hutter, 2019).
class AdamW : public AdamBase<true> {
 public:
  using AdamBase::AdamBase;
};

}  // namespace td::optim
