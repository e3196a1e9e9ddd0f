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
inline Tensor own_weight(const Tensor& held, const Tensor& of_options) {
  return held.defined() ? held.detach() : of_options;
}
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

/// A loss of an input and a target: its base, and what forward returns.
#define TD_LOSS_LAYER(Name, Base, ...)                                                \
  class Name##Impl : public Base<Name##Impl, Name##Options> {                         \
   public:                                                                            \
    using Base::Base;                                                                 \
    Tensor forward(const Tensor& input, const Tensor& target) { return __VA_ARGS__; } \
  };                                                                                  \
  TD_MODULE(Name)

/// Softmax and negative log-likelihood in one: scores (N, C), class indices (N).
TD_LOSS_LAYER(CrossEntropyLoss, WeightedLossBase,
              td::cross_entropy_loss(input, target, weight, options.reduction(),
                                     options.ignore_index(), options.label_smoothing()));
/// Negative log-likelihood: log-probabilities (N, C), class indices (N).
TD_LOSS_LAYER(NLLLoss, WeightedLossBase,
              td::nll_loss(input, target, weight, options.reduction(), options.ignore_index()));
/// (input - target)^2
TD_LOSS_LAYER(MSELoss, PlainModuleBase, td::mse_loss(input, target, options.reduction()));
/// |input - target|
TD_LOSS_LAYER(L1Loss, PlainModuleBase, td::l1_loss(input, target, options.reduction()));
/// d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, for d = input - target.
TD_LOSS_LAYER(SmoothL1Loss, PlainModuleBase,
              td::smooth_l1_loss(input, target, options.reduction(), options.beta()));
/// -(t log p + (1 - t) log(1 - p))
TD_LOSS_LAYER(BCELoss, WeightedLossBase,
              td::binary_cross_entropy(input, target, weight, options.reduction()));
#undef TD_LOSS_LAYER

/// BCELoss of sigmoid(input), computed without overflow.
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {})
      : options(options_) {
    reset();
  }
  void reset() override {
    weight = register_buffer("weight", detail::own_weight(weight, options.weight()));
    pos_weight =
        register_buffer("pos_weight", detail::own_weight(pos_weight, options.pos_weight()));
  }
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::binary_cross_entropy_with_logits(input, target, weight, pos_weight,
                                                options.reduction());
  }

  BCEWithLogitsLossOptions options;
  Tensor weight, pos_weight;  ///< Buffers; undefined for 1.
};
TD_MODULE(BCEWithLogitsLoss);

}  // namespace td::nn
