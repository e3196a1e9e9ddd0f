// First values of parameters: bounds from the sizes, values from uniform_ and normal_, whose
// numbers depend on the seed alone and not on the device.
#include "td/nn/init.h"

#include <cmath>

#include "td/autograd/modes.h"
#include "td/ops/ops.h"

namespace td::nn::init {

double calculate_gain(Nonlinearity nonlinearity, double param) {
  switch (nonlinearity) {
    case Nonlinearity::Tanh:
      return 5.0 / 3.0;
    case Nonlinearity::ReLU:
      return std::sqrt(2.0);
    case Nonlinearity::LeakyReLU:
      return std::sqrt(2.0 / (1 + param * param));
    default:
      return 1;
  }
}

std::pair<std::int64_t, std::int64_t> fan_in_and_out(const Tensor& tensor) {
  TD_CHECK(ShapeError, tensor.dim() >= 2,
           "init: a weight has outputs and inputs, so at least 2 "
           "dimensions, but this tensor is ",
           tensor.sizes(), "; use uniform_ or constant_ for it");
  std::int64_t window = 1;
  for (std::int64_t d = 2; d < tensor.dim(); ++d) window *= tensor.size(d);
  return {tensor.size(1) * window, tensor.size(0) * window};
}

namespace {

double kaiming_deviation(const Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  const auto fans = fan_in_and_out(tensor);
  const std::int64_t fan = mode == FanMode::FanIn ? fans.first : fans.second;
  return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(fan));
}

double xavier_deviation(const Tensor& tensor, double gain) {
  const auto fans = fan_in_and_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fans.first + fans.second));
}

}  // namespace

Tensor constant_(Tensor tensor, const Scalar& value) {
  NoGradGuard no_grad;
  return tensor.fill_(value);
}
Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }
Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }
Tensor uniform_(Tensor tensor, double low, double high) {
  NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}
Tensor normal_(Tensor tensor, double mean, double std) {
  NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}
Tensor kaiming_uniform_(Tensor tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  if (tensor.numel() == 0) return tensor;
  const double bound = std::sqrt(3.0) * kaiming_deviation(tensor, a, mode, nonlinearity);
  return uniform_(std::move(tensor), -bound, bound);
}
Tensor kaiming_normal_(Tensor tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  if (tensor.numel() == 0) return tensor;
  const double deviation = kaiming_deviation(tensor, a, mode, nonlinearity);
  return normal_(std::move(tensor), 0, deviation);
}
Tensor xavier_uniform_(Tensor tensor, double gain) {
  const double bound = std::sqrt(3.0) * xavier_deviation(tensor, gain);
  return uniform_(std::move(tensor), -bound, bound);
}
Tensor xavier_normal_(Tensor tensor, double gain) {
  const double deviation = xavier_deviation(tensor, gain);
  return normal_(std::move(tensor), 0, deviation);
}

}  // namespace td::nn::init
