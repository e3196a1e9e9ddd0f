// Loss modules: `nn::CrossEntropyLoss loss_fn; loss_fn(output, target)`. They hold options and, at
// most, a weight, which is a buffer, so that `loss_fn->to(device)` moves it.
#pragma once

#include "td/nn/module.h"
#include "td/nn/module_holder.h"
#include "td/nn/options.h"

namespace td::nn {

/// Softmax and negative log-likelihood in one: scores (N, C), class indices (N).
class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  CrossEntropyLossOptions options;
  Tensor weight;  ///< Buffer; undefined for equal weights.
};
TD_MODULE(CrossEntropyLoss);

/// Negative log-likelihood: log-probabilities (N, C), class indices (N).
class NLLLossImpl : public Cloneable<NLLLossImpl> {
 public:
  explicit NLLLossImpl(const NLLLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  NLLLossOptions options;
  Tensor weight;  ///< Buffer; undefined for equal weights.
};
TD_MODULE(NLLLoss);

/// (input - target)^2
class MSELossImpl : public Cloneable<MSELossImpl> {
 public:
  explicit MSELossImpl(const MSELossOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  MSELossOptions options;
};
TD_MODULE(MSELoss);

/// |input - target|
class L1LossImpl : public Cloneable<L1LossImpl> {
 public:
  explicit L1LossImpl(const L1LossOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  L1LossOptions options;
};
TD_MODULE(L1Loss);

/// d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, for d = input - target.
class SmoothL1LossImpl : public Cloneable<SmoothL1LossImpl> {
 public:
  explicit SmoothL1LossImpl(const SmoothL1LossOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  SmoothL1LossOptions options;
};
TD_MODULE(SmoothL1Loss);

/// -(t log p + (1 - t) log(1 - p))
class BCELossImpl : public Cloneable<BCELossImpl> {
 public:
  explicit BCELossImpl(const BCELossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCELossOptions options;
  Tensor weight;  ///< Buffer; undefined for equal weights.
};
TD_MODULE(BCELoss);

/// BCELoss of sigmoid(input), computed without overflow.
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCEWithLogitsLossOptions options;
  Tensor weight, pos_weight;  ///< Buffers; undefined for 1.
};
TD_MODULE(BCEWithLogitsLoss);

}  // namespace td::nn
