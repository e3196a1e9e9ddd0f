// nn::init: first values of parameters. All work in place, unrecorded, and return the tensor.
// Called by the reset_parameters of layers and by programs.
#pragma once

#include <cmath>

#include "td/autograd/modes.h"
#include "td/nn/module.h"
#include "td/ops/ops.h"

namespace td::nn::init {

/// Inputs and outputs of one unit of a weight (out, in, ...).
/// @throws ShapeError below two dimensions.
inline std::pair<std::int64_t, std::int64_t> fan_in_and_out(const Tensor& tensor) {
  TD_CHECK(ShapeError, tensor.dim() >= 2,
           "init: a weight has outputs and inputs, so at least 2 dimensions, but this tensor is ",
           tensor.sizes(), "; use uniform_ or constant_ for it");
  std::int64_t window = 1;
  for (std::int64_t d = 2; d < tensor.dim(); ++d) window *= tensor.size(d);
  return {tensor.size(1) * window, tensor.size(0) * window};
}

inline Tensor constant_(Tensor tensor, const Scalar& value) {
  NoGradGuard no_grad;
  return tensor.fill_(value);
}
inline Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }
inline Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }
/// Uniform in [low, high).
inline Tensor uniform_(Tensor tensor, double low = 0, double high = 1) {
  NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}
inline Tensor normal_(Tensor tensor, double mean = 0, double std = 1) {
  NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}
/// Uniform with bound sqrt(6 / ((1 + a^2) fan_in)), for a layer in front of a LeakyReLU of slope
/// `a` (He et al., 2015).
inline Tensor kaiming_uniform_(Tensor tensor, double a = 0) {
  if (tensor.numel() == 0) return tensor;
  const double gain = std::sqrt(2.0 / (1 + a * a));
  const double deviation = gain / std::sqrt(static_cast<double>(fan_in_and_out(tensor).first));
  const double bound = std::sqrt(3.0) * deviation;
  return uniform_(std::move(tensor), -bound, bound);
}
/// Uniform with bound gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
inline Tensor xavier_uniform_(Tensor tensor, double gain = 1) {
  const auto fans = fan_in_and_out(tensor);
  const double deviation = gain * std::sqrt(2.0 / static_cast<double>(fans.first + fans.second));
  const double bound = std::sqrt(3.0) * deviation;
  return uniform_(std::move(tensor), -bound, bound);
}
/// libtorch's default for Linear and Conv2d: both uniform within 1 / sqrt(inputs of one unit). Does
/// nothing under a SharedCloneGuard, where both are about to become others.
inline void uniform_by_inputs_(const Tensor& weight, const Tensor& bias) {
  if (sharing_clones()) return;
  kaiming_uniform_(weight, std::sqrt(5.0));  // which gives the same bound as the bias's
  if (!bias.defined()) return;
  const std::int64_t inputs = fan_in_and_out(weight).first;
  const double bound = inputs > 0 ? 1 / std::sqrt(static_cast<double>(inputs)) : 0;
  uniform_(bias, -bound, bound);
}

}  // namespace td::nn::init
