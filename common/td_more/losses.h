// Loss modules besides CrossEntropyLoss and MSELoss, which are in nn/loss.h.
#pragma once

#include "td/nn/loss.h"
#include "td_more/functions.h"
#include "td_more/options.h"

namespace td::nn {

/// Negative log-likelihood -input[n, target[n]]: log-probabilities (N, C), class indices (N).
class NLLLossImpl : public WeightedLossBase<NLLLossImpl, NLLLossOptions> {
 public:
  using WeightedLossBase::WeightedLossBase;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::nll_loss(input, target, weight, options.reduction(), options.ignore_index());
  }
};
TD_MODULE(NLLLoss);

/// |input - target|
class L1LossImpl : public PlainModuleBase<L1LossImpl, L1LossOptions> {
 public:
  using PlainModuleBase::PlainModuleBase;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::l1_loss(input, target, options.reduction());
  }
};
TD_MODULE(L1Loss);

/// d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, for d = input - target.
class SmoothL1LossImpl : public PlainModuleBase<SmoothL1LossImpl, SmoothL1LossOptions> {
 public:
  using PlainModuleBase::PlainModuleBase;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::smooth_l1_loss(input, target, options.reduction(), options.beta());
  }
};
TD_MODULE(SmoothL1Loss);

/// -(t log p + (1 - t) log(1 - p))
class BCELossImpl : public WeightedLossBase<BCELossImpl, BCELossOptions> {
 public:
  using WeightedLossBase::WeightedLossBase;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::binary_cross_entropy(input, target, weight, options.reduction());
  }
};
TD_MODULE(BCELoss);

/// BCELoss of sigmoid(input), computed without overflow.
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target) {
    return td::binary_cross_entropy_with_logits(input, target, weight, pos_weight,
                                                options.reduction());
  }

  BCEWithLogitsLossOptions options;
  Tensor weight, pos_weight;  ///< Buffers; undefined for 1.
};
TD_MODULE(BCEWithLogitsLoss);

}  // namespace td::nn
