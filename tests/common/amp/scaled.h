// What the tests of GradScaler share: parameters with gradients that a test chooses, and a loss
// whose gradients are easy to predict.
#pragma once

#include <limits>

#include "../td/tensor/values.h"
#include "amp/grad_scaler.h"
#include "td/autograd/engine.h"
#include "td/optim/optim.h"

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// `sum(param * factor)`, scaled, through backward: gradients are `factor` times the scale.
inline void backward_scaled(td::amp::GradScaler& scaler, const td::Tensor& param,
                            float factor = 1) {
  scaler.scale((param * factor).sum()).backward();
}
/// A scaler that starts at `scale` and grows after each finite step.
inline td::amp::GradScalerOptions from_scale(double scale, std::int64_t growth_interval = 1) {
  return td::amp::GradScalerOptions().init_scale(scale).growth_interval(growth_interval);
}
