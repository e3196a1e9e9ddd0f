// Loss modules: `nn::CrossEntropyLoss loss_fn; loss_fn(output, target)`. They hold options and, at
// most, a weight, which is a buffer, so that `loss_fn->to(device)` moves it.
#pragma once

#include "td/nn/layers.h"
#include "td/ops/ops.h"

namespace td::nn {

namespace detail {
/// What a loss's reset() registers: at first the tensor of the options; in a clone, which still
/// holds the original's, another handle. Otherwise moving the clone would move the original's
/// weight too.
Tensor own_weight(const Tensor& held, const Tensor& of_options);
}  // namespace detail

/// Base of losses with a weight.
template <class Derived, class Options>
class WeightedLossBase : public Cloneable<Derived> {
 public:
  explicit WeightedLossBase(const Options& options_ = {}) : options(options_) {
    WeightedLossBase::reset();
  }
  void reset() override {
    weight = this->register_buffer("weight", detail::own_weight(weight, options.weight()));
  }

  Options options;
  Tensor weight;  ///< Buffer; undefined for equal weights.
};

/// Softmax and negative log-likelihood in one: scores (N, C), class indices (N).
class CrossEntropyLossImpl
    : public WeightedLossBase<CrossEntropyLossImpl, CrossEntropyLossOptions> {
 public:
  using WeightedLossBase::WeightedLossBase;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::cross_entropy_loss(input, target, weight, options.reduction(),
                                  options.ignore_index(), options.label_smoothing());
  }
};
TD_MODULE(CrossEntropyLoss);

/// (input - target)^2
class MSELossImpl : public PlainModuleBase<MSELossImpl, MSELossOptions> {
 public:
  using PlainModuleBase::PlainModuleBase;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::mse_loss(input, target, options.reduction());
  }
};
TD_MODULE(MSELoss);

}  // namespace td::nn
