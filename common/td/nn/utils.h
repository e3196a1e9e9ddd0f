// nn::utils: limits on gradients between backward() and step().
#pragma once

#include <cmath>

#include "td/autograd/modes.h"
#include "td/device/stream.h"
#include "td/ops/ops.h"

namespace td::nn::utils {

namespace detail {

inline TensorList gradients_of(const TensorList& parameters) {
  TensorList gradients;
  for (const Tensor& parameter : parameters)
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  return gradients;
}

// The p-norm of the list of norms is the norm of all elements together. All norms are queued before
// the first is read: the host waits once, not once per gradient.
inline double total_norm(const TensorList& gradients, double p) {
  TensorList norms;
  for (const Tensor& gradient : gradients)  // float16 could not hold the norm of many elements
    norms.push_back(gradient.to(promote_types(gradient.dtype(), kFloat)).norm(p));
  double total = 0;
  for (const Tensor& norm : norms) {
    const double value = norm.item<double>();
    if (std::isinf(p))
      total = std::isnan(value) || std::isnan(total) ? value + total : std::max(total, value);
    else
      total += std::pow(value, p);
  }
  return std::isinf(p) ? total : std::pow(total, 1 / p);
}

}  // namespace detail

/// Scales all gradients by one factor so that the norm over all of them together is at most
/// `max_norm`, and returns the norm they had. Waits for the device.
/// @param norm_type p of the p-norm; infinity for the largest absolute value.
/// @throws Error when `error_if_nonfinite` is set and the norm is NaN or infinite.
inline double clip_grad_norm_(const TensorList& parameters, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
  NoGradGuard no_grad;
  TensorList gradients = detail::gradients_of(parameters);
  if (gradients.empty()) return 0;
  check_may_wait("clip_grad_norm_", gradients[0].device());
  const double norm = detail::total_norm(gradients, norm_type);
  TD_CHECK(Error, !error_if_nonfinite || std::isfinite(norm),
           "clip_grad_norm_: the norm of the gradients is ", norm,
           ", so they cannot be clipped; look for a division by zero or too large a learning rate, "
           "or leave error_if_nonfinite off to scale anyway");
  // 1e-6 as in PyTorch: no division by zero for gradients that are all zero.
  const double factor = max_norm / (norm + 1e-6);
  if (!(factor >= 1))
    for (Tensor& gradient : gradients) gradient.mul_(factor);
  return norm;
}
inline double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
  return clip_grad_norm_(TensorList{parameter}, max_norm, norm_type, error_if_nonfinite);
}
/// Limits every element of every gradient to [-clip_value, clip_value].
inline void clip_grad_value_(const TensorList& parameters, double clip_value) {
  NoGradGuard no_grad;
  for (Tensor& gradient : detail::gradients_of(parameters))
    gradient.clamp_(Scalar(-clip_value), Scalar(clip_value));
}
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(TensorList{parameter}, clip_value);
}

}  // namespace td::nn::utils
