// nn::utils: limits on gradients between backward() and step().
#pragma once

#include "td/tensor/tensor.h"

namespace td::nn::utils {

/// Scales all gradients by one factor so that the norm over all of them together is at most
/// `max_norm`, and returns the norm they had. Waits for the device.
/// @param norm_type p of the p-norm; infinity for the largest absolute value.
/// @throws Error when `error_if_nonfinite` is set and the norm is NaN or infinite.
double clip_grad_norm_(const TensorList& parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
/// Limits every element of every gradient to [-clip_value, clip_value].
void clip_grad_value_(const TensorList& parameters, double clip_value);
void clip_grad_value_(const Tensor& parameter, double clip_value);

}  // namespace td::nn::utils
