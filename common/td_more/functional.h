// The functions of nn::functional that libtorch has and no chapter needs. Names and options are
// libtorch's. nn/functional.h has dropout, cross_entropy and mse_loss.
#pragma once

#include "td/nn/functional.h"
#include "td_more/functions.h"
#include "td_more/options.h"

namespace td::nn::functional {

/// @name Options of functions, where they differ from the layers'
/// @{

/// For conv2d: Conv2dOptions without channels and kernel size, which the weight gives.
struct Conv2dFuncOptions {
  TD_ARG(Tensor, bias) = {};
  /// How far the window moves at each step.
  TD_ARG(ExpandingArray<2>, stride) = 1;
  /// Zeros around height and width.
  TD_ARG(ExpandingArray<2>, padding) = 0;
  /// Distance between the window's elements.
  TD_ARG(ExpandingArray<2>, dilation) = 1;
  /// Channels are split into this many independent groups.
  TD_ARG(std::int64_t, groups) = 1;
};
using MaxPool2dFuncOptions = MaxPool2dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AdaptiveAvgPool2dFuncOptions = AdaptiveAvgPool2dOptions;

/// For batch_norm.
struct BatchNormFuncOptions {
  /// Scale, one number per channel; undefined for 1.
  TD_ARG(Tensor, weight) = {};
  /// Shift, one number per channel; undefined for 0.
  TD_ARG(Tensor, bias) = {};
  /// True normalizes with the batch's statistics and updates the running ones.
  TD_ARG(bool, training) = false;
  /// The share of a new batch in the running statistics.
  TD_ARG(optional<double>, momentum) = 0.1;
  /// Added to the variance.
  TD_ARG(double, eps) = 1e-5;
};

/// For layer_norm: LayerNormOptions with the tensors of the layer.
struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  /// Sizes of the last dimensions, which are normalized together.
  TD_ARG(std::vector<std::int64_t>, normalized_shape);
  TD_ARG(Tensor, weight) = {};
  TD_ARG(Tensor, bias) = {};
  /// Added to the variance.
  TD_ARG(double, eps) = 1e-5;
};

using ReLUFuncOptions = ReLUOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;

using SoftmaxFuncOptions = SoftmaxOptions;
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
using NLLLossFuncOptions = NLLLossOptions;
using L1LossFuncOptions = L1LossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
/// @}

/// @name Layers
/// @{
/// input (..., in) times weight (out, in) transposed, plus bias (out).
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return td::linear(input, weight, bias);
}
/// input (N, C, H, W), weight (out, C / groups, kernel height, kernel width).
inline Tensor conv2d(const Tensor& input, const Tensor& weight,
                     const Conv2dFuncOptions& options = {}) {
  return td::conv2d(input, weight, options.bias(), options.stride(), options.padding(),
                    options.dilation(), options.groups());
}
inline Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options) {
  return td::max_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                        options.dilation(), options.ceil_mode());
}
inline Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options) {
  return td::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                        options.ceil_mode(), options.count_include_pad(),
                        options.divisor_override());
}
inline Tensor adaptive_avg_pool2d(const Tensor& input,
                                  const AdaptiveAvgPool2dFuncOptions& options) {
  return td::adaptive_avg_pool2d(input, options.output_size());
}
/// Normalizes each channel (dimension 1). In training, updates running_mean and running_var in
/// place.
inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const BatchNormFuncOptions& options = {}) {
  return td::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                        options.training(), options.momentum().value_or(0.0), options.eps());
}
inline Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return td::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                        options.eps());
}
/// Rows of `weight` chosen by `input` (integers of any shape).
inline Tensor embedding(const Tensor& input, const Tensor& weight) {
  return td::embedding(weight, input);
}
/// @}

/// @name Activations
/// @{
inline Tensor relu(Tensor input, const ReLUFuncOptions& options = {}) {
  return options.inplace() ? td::relu_(input) : td::relu(input);
}
inline Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {}) {
  const double slope = options.negative_slope();
  return options.inplace() ? td::leaky_relu_(input, slope) : td::leaky_relu(input, slope);
}
inline Tensor gelu(const Tensor& input) { return td::gelu(input); }
inline Tensor silu(const Tensor& input) { return td::silu(input); }
inline Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return td::softmax(input, options.dim(), options.dtype());
}
inline Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return td::log_softmax(input, options.dim(), options.dtype());
}
/// @}

/// @name Losses
/// @{
inline Tensor nll_loss(const Tensor& input, const Tensor& target,
                       const NLLLossFuncOptions& options = {}) {
  return td::nll_loss(input, target, options.weight(), options.reduction(), options.ignore_index());
}
inline Tensor l1_loss(const Tensor& input, const Tensor& target,
                      const L1LossFuncOptions& options = {}) {
  return td::l1_loss(input, target, options.reduction());
}
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                             const SmoothL1LossFuncOptions& options = {}) {
  return td::smooth_l1_loss(input, target, options.reduction(), options.beta());
}
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                             const SmoothL1LossFuncOptions& options, double beta) {
  return td::smooth_l1_loss(input, target, options.reduction(), beta);
}
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                   const BinaryCrossEntropyFuncOptions& options = {}) {
  return td::binary_cross_entropy(input, target, options.weight(), options.reduction());
}
inline Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {}) {
  return td::binary_cross_entropy_with_logits(input, target, options.weight(), options.pos_weight(),
                                              options.reduction());
}
/// @}

}  // namespace td::nn::functional
