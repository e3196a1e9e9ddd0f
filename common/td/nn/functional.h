// nn::functional: layers without memory, as functions of tensors and options. Layers call these;
// programs may too. Names and options are libtorch's.
#pragma once

#include "td/nn/options.h"

namespace td::nn::functional {

/// @name Options of functions, where they differ from the layers'
/// @{

/// For conv2d; the weight gives channels and kernel size.
struct Conv2dFuncOptions {
  TD_ARG(Tensor, bias) = {};
  /// Steps of the window.
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
  /// Scale, one number a channel; undefined for 1.
  TD_ARG(Tensor, weight) = {};
  /// Shift, one number a channel; undefined for 0.
  TD_ARG(Tensor, bias) = {};
  /// True normalizes with the batch's statistics and updates the running ones.
  TD_ARG(bool, training) = false;
  /// The share of a new batch in the running statistics.
  TD_ARG(optional<double>, momentum) = 0.1;
  /// Added to the variance.
  TD_ARG(double, eps) = 1e-5;
};

/// For layer_norm.
struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  /// Sizes of the last dimensions, over which is normalized.
  TD_ARG(std::vector<std::int64_t>, normalized_shape);
  TD_ARG(Tensor, weight) = {};
  TD_ARG(Tensor, bias) = {};
  /// Added to the variance.
  TD_ARG(double, eps) = 1e-5;
};

/// For dropout.
struct DropoutFuncOptions {
  /// Probability of a zero.
  TD_ARG(double, p) = 0.5;
  /// False leaves the input as it is.
  TD_ARG(bool, training) = true;
  /// Writes into the input's memory.
  TD_ARG(bool, inplace) = false;
};
using ReLUFuncOptions = ReLUOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;

/// For softmax and log_softmax.
struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(std::int64_t dim) : dim_(dim) {}
  /// The dimension whose elements add to 1.
  TD_ARG(std::int64_t, dim);
  /// The type to compute in and of the result.
  TD_ARG(optional<ScalarType>, dtype) = nullopt;
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using MSELossFuncOptions = MSELossOptions;
using L1LossFuncOptions = L1LossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
/// @}

/// @name Layers
/// @{
/// input (..., in) times weight (out, in) transposed, plus bias (out).
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// input (N, C, H, W), weight (out, C / groups, kernel height, kernel width).
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options = {});
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options);
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options);
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options);
/// Normalizes each channel (dimension 1). In training, updates running_mean and running_var in
/// place.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
/// Rows of `weight` chosen by `input` (integers of any shape).
Tensor embedding(const Tensor& input, const Tensor& weight);
Tensor dropout(const Tensor& input, const DropoutFuncOptions& options = {});
/// @}

/// @name Activations
/// @{
Tensor relu(Tensor input, const ReLUFuncOptions& options = {});
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {});
Tensor gelu(const Tensor& input);
Tensor silu(const Tensor& input);
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);
/// @}

/// @name Losses
/// @{
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options = {});
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});
Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options = {});
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, double beta);
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options = {});
Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// @}

}  // namespace td::nn::functional
