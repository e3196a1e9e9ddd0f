// nn::init: initial values of parameters. All functions work in place, without gradient tracking,
// and return the tensor. Called by the reset_parameters of layers and by programs.
#pragma once

#include <cmath>

#include "td/autograd/modes.h"
#include "td/nn/module.h"
#include "td/ops/ops.h"

namespace td::nn::init {

/// Which size of a weight a scale is derived from: inputs or outputs of one unit.
enum class FanMode { FanIn, FanOut };
/// The function that follows the layer; it decides the gain.
enum class Nonlinearity { Linear, Conv2d, Sigmoid, Tanh, ReLU, LeakyReLU };

/// Factor that keeps the variance through the function (PyTorch's table).
/// @param param negative slope of LeakyReLU.
inline double calculate_gain(Nonlinearity nonlinearity, double param = 0.01) {
  if (nonlinearity == Nonlinearity::Tanh) return 5.0 / 3.0;
  if (nonlinearity == Nonlinearity::ReLU) return std::sqrt(2.0);
  if (nonlinearity == Nonlinearity::LeakyReLU) return std::sqrt(2.0 / (1 + param * param));
  return 1;
}
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
/// Uniform with bound gain * sqrt(3 / fan) (He et al., 2015); `a` is LeakyReLU's slope.
inline Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanMode mode = FanMode::FanIn,
                               Nonlinearity nonlinearity = Nonlinearity::LeakyReLU) {
  if (tensor.numel() == 0) return tensor;
  const auto fans = fan_in_and_out(tensor);
  const std::int64_t fan = mode == FanMode::FanIn ? fans.first : fans.second;
  const double deviation = calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(fan));
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
/// nothing under a SharedCloneGuard, where other tensors are about to replace both.
inline void uniform_by_inputs_(const Tensor& weight, const Tensor& bias) {
  if (sharing_clones()) return;
  kaiming_uniform_(weight, std::sqrt(5.0));  // which gives the same bound as the bias's
  if (!bias.defined()) return;
  const std::int64_t inputs = fan_in_and_out(weight).first;
  const double bound = inputs > 0 ? 1 / std::sqrt(static_cast<double>(inputs)) : 0;
  uniform_(bias, -bound, bound);
}

}  // namespace td::nn::init

namespace td {

inline constexpr auto kFanIn = nn::init::FanMode::FanIn;    ///< Scale by the number of inputs.
inline constexpr auto kFanOut = nn::init::FanMode::FanOut;  ///< Scale by the number of outputs.
/// The nonlinearity that follows a layer, for which the layer's initial values are scaled.
///@{
inline constexpr auto kLeakyReLU = nn::init::Nonlinearity::LeakyReLU;
inline constexpr auto kReLU = nn::init::Nonlinearity::ReLU;
inline constexpr auto kTanh = nn::init::Nonlinearity::Tanh;
inline constexpr auto kSigmoid = nn::init::Nonlinearity::Sigmoid;
inline constexpr auto kLinear = nn::init::Nonlinearity::Linear;
inline constexpr auto kConv2D = nn::init::Nonlinearity::Conv2d;
///@}

}  // namespace td
