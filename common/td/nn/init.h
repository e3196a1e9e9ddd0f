// nn::init: first values of parameters. All work in place, unrecorded, and return the tensor.
// Called by the reset_parameters of layers and by programs.
#pragma once

#include "td/tensor/tensor.h"

namespace td::nn::init {

/// Which size of a weight a scale is derived from: inputs or outputs of one unit.
enum class FanMode { FanIn, FanOut };
/// The function that follows the layer; it decides the gain.
enum class Nonlinearity { Linear, Conv2d, Sigmoid, Tanh, ReLU, LeakyReLU };

/// Factor that keeps the variance through the function (PyTorch's table).
/// @param param negative slope of LeakyReLU.
double calculate_gain(Nonlinearity nonlinearity, double param = 0.01);
/// Inputs and outputs of one unit of a weight (out, in, ...).
/// @throws ShapeError below two dimensions.
std::pair<std::int64_t, std::int64_t> fan_in_and_out(const Tensor& tensor);

Tensor constant_(Tensor tensor, const Scalar& value);
Tensor ones_(Tensor tensor);
Tensor zeros_(Tensor tensor);
/// Uniform in [low, high).
Tensor uniform_(Tensor tensor, double low = 0, double high = 1);
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
/// Uniform with bound gain * sqrt(3 / fan) (He et al., 2015); `a` is LeakyReLU's slope.
Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanMode mode = FanMode::FanIn,
                        Nonlinearity nonlinearity = Nonlinearity::LeakyReLU);
/// Normal with deviation gain / sqrt(fan).
Tensor kaiming_normal_(Tensor tensor, double a = 0, FanMode mode = FanMode::FanIn,
                       Nonlinearity nonlinearity = Nonlinearity::LeakyReLU);
/// Uniform with bound gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
Tensor xavier_uniform_(Tensor tensor, double gain = 1);
/// Normal with deviation gain * sqrt(2 / (fan_in + fan_out)).
Tensor xavier_normal_(Tensor tensor, double gain = 1);

}  // namespace td::nn::init

namespace td {

/// Which of the two sizes of a weight first values are scaled by.
using FanModeType = nn::init::FanMode;
inline constexpr auto kFanIn = nn::init::FanMode::FanIn;    ///< Scale by the number of inputs.
inline constexpr auto kFanOut = nn::init::FanMode::FanOut;  ///< Scale by the number of outputs.
/// The nonlinearity behind a layer, which its first values are scaled for.
///@{
inline constexpr auto kLeakyReLU = nn::init::Nonlinearity::LeakyReLU;
inline constexpr auto kReLU = nn::init::Nonlinearity::ReLU;
inline constexpr auto kTanh = nn::init::Nonlinearity::Tanh;
inline constexpr auto kSigmoid = nn::init::Nonlinearity::Sigmoid;
inline constexpr auto kLinear = nn::init::Nonlinearity::Linear;
inline constexpr auto kConv2D = nn::init::Nonlinearity::Conv2d;
///@}

}  // namespace td
