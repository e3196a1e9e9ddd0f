// The arguments of layers, losses and functions, by name: `Conv2dOptions(3, 32, 5).padding(2)`.
// Defaults are libtorch's. Layers and nn::functional share these classes. Those of Linear and ReLU
// are in sequential.h.
#pragma once

#include "td/base/arg.h"
#include "td/ops/ops.h"

namespace td::nn {

/// For Conv2d: input (N, in_channels, H, W).
struct Conv2dOptions {
  Conv2dOptions(std::int64_t in_channels, std::int64_t out_channels, ExpandingArray<2> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  /// Channels of the input.
  TD_ARG(std::int64_t, in_channels);
  /// Channels of the output.
  TD_ARG(std::int64_t, out_channels);
  /// Height and width of the window.
  TD_ARG(ExpandingArray<2>, kernel_size);
  /// How far the window moves at each step.
  TD_ARG(ExpandingArray<2>, stride) = 1;
  /// Rows and columns of zeros added on each side.
  TD_ARG(ExpandingArray<2>, padding) = 0;
  /// Distance between the elements under the window.
  TD_ARG(ExpandingArray<2>, dilation) = 1;
  /// Channels are split into this many independent groups.
  TD_ARG(std::int64_t, groups) = 1;
  TD_ARG(bool, bias) = true;
};

/// For BatchNorm1d and BatchNorm2d.
struct BatchNormOptions {
  BatchNormOptions(std::int64_t num_features) : num_features_(num_features) {}
  /// Channels.
  TD_ARG(std::int64_t, num_features);
  /// Added to the variance before the root.
  TD_ARG(double, eps) = 1e-5;
  /// Weight of the new value in the running statistics; nullopt takes the plain average of all.
  TD_ARG(optional<double>, momentum) = 0.1;
  /// Whether to learn a scale and a shift.
  TD_ARG(bool, affine) = true;
  /// Whether to keep running statistics for evaluation.
  TD_ARG(bool, track_running_stats) = true;
};
/// By libtorch's names.
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;

/// For Dropout.
struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {}
  /// Probability of an element to become zero; the others are scaled by 1 / (1 - p).
  TD_ARG(double, p);
  /// Writes into the input's memory.
  TD_ARG(bool, inplace) = false;
};

/// For MaxPool2d.
struct MaxPool2dOptions {
  MaxPool2dOptions(ExpandingArray<2> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// Height and width of the window.
  TD_ARG(ExpandingArray<2>, kernel_size);
  /// By default the kernel size.
  TD_ARG(ExpandingArray<2>, stride);
  /// Padding around height and width, which is never the largest value.
  TD_ARG(ExpandingArray<2>, padding) = 0;
  /// Distance between the window's elements.
  TD_ARG(ExpandingArray<2>, dilation) = 1;
  /// Rounds the output size up instead of down.
  TD_ARG(bool, ceil_mode) = false;
};

/// For AvgPool2d.
struct AvgPool2dOptions {
  AvgPool2dOptions(ExpandingArray<2> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// Height and width of the window.
  TD_ARG(ExpandingArray<2>, kernel_size);
  /// By default the kernel size.
  TD_ARG(ExpandingArray<2>, stride);
  /// Zeros around height and width.
  TD_ARG(ExpandingArray<2>, padding) = 0;
  /// Also uses windows that extend beyond the edge.
  TD_ARG(bool, ceil_mode) = false;
  /// Whether zeros of the padding count in the average.
  TD_ARG(bool, count_include_pad) = true;
  /// Divides by this number instead of the count.
  TD_ARG(optional<std::int64_t>, divisor_override) = nullopt;
};

/// For AdaptiveAvgPool2d.
struct AdaptiveAvgPool2dOptions {
  AdaptiveAvgPool2dOptions(ExpandingArray<2> output_size) : output_size_(output_size) {}
  /// Height and width of the result.
  TD_ARG(ExpandingArray<2>, output_size);
};

/// For Flatten.
struct FlattenOptions {
  /// First dimension to join.
  TD_ARG(std::int64_t, start_dim) = 1;
  /// Last dimension to join; negative counts from the back.
  TD_ARG(std::int64_t, end_dim) = -1;
};

/// For ReLU.
struct ReLUOptions {
  ReLUOptions(bool inplace = false) : inplace_(inplace) {}
  /// Writes into the input's memory.
  TD_ARG(bool, inplace);
};

/// What a loss does with the losses of the elements: kMean, kSum or kNone.
using LossReduction = Reduction::Reduction;

/// For CrossEntropyLoss: class scores (N, C) against class indices (N).
struct CrossEntropyLossOptions {
  /// One weight per class; undefined for equal weights.
  TD_ARG(Tensor, weight) = {};
  /// Targets of this class are ignored.
  TD_ARG(std::int64_t, ignore_index) = -100;
  /// How the losses of the elements are combined.
  TD_ARG(LossReduction, reduction) = kMean;
  /// Share of the target spread over all classes, 0 to 1.
  TD_ARG(double, label_smoothing) = 0.0;
};

/// For MSELoss.
struct MSELossOptions {
  MSELossOptions(LossReduction reduction = kMean) : reduction_(reduction) {}
  /// How the losses of the elements are combined.
  TD_ARG(LossReduction, reduction);
};
}  // namespace td::nn
