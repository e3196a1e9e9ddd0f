// Parameters with gradients that the tests of chapter 07 choose.
#pragma once

#include <limits>

#include "check_tensors.h"
#include "exercises.h"

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kLargest = std::numeric_limits<float>::max();

/// A float32 parameter of as many zeros as there are values, which are its gradient.
inline td::Tensor with_gradient(const std::vector<float>& gradient, td::Device device) {
  const auto n = static_cast<std::int64_t>(gradient.size());
  const td::Tensor parameter = td::zeros({n}, td::TensorOptions(device)).requires_grad_();
  parameter.mutable_grad() = td::tensor(gradient).to(device);
  return parameter;
}

/// n numbers between -2 and 2 without a pattern, always the same ones.
inline std::vector<float> some_values(std::int64_t n, std::uint64_t seed = 1) {
  td::manual_seed(seed);
  std::vector<float> values;
  for (const double value : check::values(td::rand({n}) * 4 - 2))
    values.push_back(static_cast<float>(value));
  return values;
}

inline std::vector<double> gradient_of(const td::Tensor& parameter) {
  return check::values(parameter.grad());
}
