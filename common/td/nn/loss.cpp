// Loss modules: weights as buffers, the computing is nn::functional's.
#include "td/nn/loss.h"

#include "td/nn/functional.h"

namespace td::nn {

namespace F = functional;

CrossEntropyLossImpl::CrossEntropyLossImpl(const CrossEntropyLossOptions& options_)
    : options(options_) {
  reset();
}
void CrossEntropyLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
void CrossEntropyLossImpl::pretty_print(std::ostream& stream) const {
  stream << "CrossEntropyLoss()";
}
Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::cross_entropy(input, target,
                          F::CrossEntropyFuncOptions()
                              .weight(weight)
                              .ignore_index(options.ignore_index())
                              .reduction(options.reduction())
                              .label_smoothing(options.label_smoothing()));
}

NLLLossImpl::NLLLossImpl(const NLLLossOptions& options_) : options(options_) { reset(); }
void NLLLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
void NLLLossImpl::pretty_print(std::ostream& stream) const { stream << "NLLLoss()"; }
Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::nll_loss(input, target,
                     F::NLLLossFuncOptions()
                         .weight(weight)
                         .ignore_index(options.ignore_index())
                         .reduction(options.reduction()));
}

void MSELossImpl::pretty_print(std::ostream& stream) const { stream << "MSELoss()"; }
Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::mse_loss(input, target, options);
}

void L1LossImpl::pretty_print(std::ostream& stream) const { stream << "L1Loss()"; }
Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::l1_loss(input, target, options);
}

void SmoothL1LossImpl::pretty_print(std::ostream& stream) const { stream << "SmoothL1Loss()"; }
Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::smooth_l1_loss(input, target, options);
}

BCELossImpl::BCELossImpl(const BCELossOptions& options_) : options(options_) { reset(); }
void BCELossImpl::reset() { weight = register_buffer("weight", options.weight()); }
void BCELossImpl::pretty_print(std::ostream& stream) const { stream << "BCELoss()"; }
Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::binary_cross_entropy(
      input, target,
      F::BinaryCrossEntropyFuncOptions().weight(weight).reduction(options.reduction()));
}

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_)
    : options(options_) {
  reset();
}
void BCEWithLogitsLossImpl::reset() {
  weight = register_buffer("weight", options.weight());
  pos_weight = register_buffer("pos_weight", options.pos_weight());
}
void BCEWithLogitsLossImpl::pretty_print(std::ostream& stream) const {
  stream << "BCEWithLogitsLoss()";
}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::binary_cross_entropy_with_logits(input, target,
                                             F::BinaryCrossEntropyWithLogitsFuncOptions()
                                                 .weight(weight)
                                                 .reduction(options.reduction())
                                                 .pos_weight(pos_weight));
}

}  // namespace td::nn
