// Adam and AdamW: steps scaled by running averages of the gradient and its square. They differ in
// how the weight decays. One launch updates up to 12 parameters; rule and launch are in adam.cu.
#pragma once

#include <tuple>

#include "td/optim/optimizer.h"

namespace td::optim {

/// Settings that Adam and AdamW share.
template <class Derived>
struct AdamOptionsBase : public OptimizerCloneableOptions<Derived> {
  AdamOptionsBase(double lr, double weight_decay) : lr_(lr), weight_decay_(weight_decay) {}
  void visit(const std::function<void(const char*, double&)>& f) override;

#define TD_ADAM_ARG(T, name)                         \
 public:                                             \
  Derived& name(const T& value) {                    \
    name##_ = value;                                 \
    return static_cast<Derived&>(*this);             \
  }                                                  \
  const T& name() const noexcept { return name##_; } \
                                                     \
 private:                                            \
  T name##_
  using Betas = std::tuple<double, double>;
  /// Step size.
  TD_ADAM_ARG(double, lr);
  /// How much of the two averages is kept at each step.
  TD_ADAM_ARG(Betas, betas) = Betas(0.9, 0.999);
  /// Added to the root of the squares.
  TD_ADAM_ARG(double, eps) = 1e-8;
  /// Draws parameters towards zero.
  TD_ADAM_ARG(double, weight_decay);
  /// Divides by the largest average of squares so far.
  TD_ADAM_ARG(bool, amsgrad) = false;
  /// Stores learning rate and step count in device memory, for captured graphs and for
  /// GradScaler::step_on_device(). Costs one more small launch.
  TD_ADAM_ARG(bool, capturable) = false;
#undef TD_ADAM_ARG
};

/// Settings of Adam; weight_decay is added to the gradient.
struct AdamOptions : public AdamOptionsBase<AdamOptions> {
  AdamOptions(double lr = 1e-3) : AdamOptionsBase(lr, 0) {}
};
/// Settings of AdamW; weight_decay shrinks the parameter itself.
struct AdamWOptions : public AdamOptionsBase<AdamWOptions> {
  AdamWOptions(double lr = 1e-3) : AdamOptionsBase(lr, 1e-2) {}
};

/// What Adam and AdamW remember.
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

/// The body of both.
template <class Options, bool decoupled>
class AdamBase : public Optimizer {
 public:
  /// @throws Error for options out of range.
  AdamBase(std::vector<OptimizerParamGroup> groups, Options defaults = {});
  AdamBase(TensorList params, Options defaults = {})
      : AdamBase(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override {
    return std::make_unique<AdamParamState>();
  }
};

/// Kingma and Ba, 2015.
class Adam : public AdamBase<AdamOptions, false> {
 public:
  using AdamBase::AdamBase;
};
/// Loshchilov and Hutter, 2019.
class AdamW : public AdamBase<AdamWOptions, true> {
 public:
  using AdamBase::AdamBase;
};

}  // namespace td::optim
