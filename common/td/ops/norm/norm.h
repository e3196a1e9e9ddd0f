// Normalisation and dropout, on every device. ops/norm/norm.cpp and ops/random/dropout.cpp call them.
// Statistics and parameters are in the type that kernels compute in: float, or double for float64.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// mean, inverse_std [c] of x over all dimensions but 1, where inverse_std = 1 / sqrt(variance +
/// eps) with the variance divided by the count. The running ones, when defined, move towards the
/// mean and the unbiased variance: r += momentum * (new - r). x is contiguous or channels last.
void batch_norm_statistics(const Tensor& mean, const Tensor& inverse_std, const Tensor& x,
                           const Tensor& running_mean, const Tensor& running_var, double momentum,
                           double eps);
/// out = (x - mean) * inverse_std * weight + bias; weight and bias may be undefined. out lies as x.
void batch_norm_apply(const Tensor& out, const Tensor& x, const Tensor& mean,
                      const Tensor& inverse_std, const Tensor& weight, const Tensor& bias);
/// grad_weight and grad_bias [c], from which grad_x follows; both are always computed.
void batch_norm_sums(const Tensor& grad_weight, const Tensor& grad_bias, const Tensor& g,
                     const Tensor& x, const Tensor& mean, const Tensor& inverse_std);
/// grad_x from these sums; with `training` the statistics themselves depend on x.
void batch_norm_backward(const Tensor& grad_x, const Tensor& g, const Tensor& x, const Tensor& mean,
                         const Tensor& inverse_std, const Tensor& weight, const Tensor& grad_weight,
                         const Tensor& grad_bias, bool training);

/// Rows of x [rows, n] brought to mean 0 and variance 1, times weight [n], plus bias [n] (both may
/// be undefined); mean, inverse_std [rows] are kept for the backward pass. All contiguous.
void layer_norm(const Tensor& out, const Tensor& mean, const Tensor& inverse_std, const Tensor& x,
                const Tensor& weight, const Tensor& bias, double eps);
/// grad_x of it.
void layer_norm_backward(const Tensor& grad_x, const Tensor& g, const Tensor& x, const Tensor& mean,
                         const Tensor& inverse_std, const Tensor& weight);
/// grad_weight, grad_bias [n] of it.
void layer_norm_sums(const Tensor& grad_weight, const Tensor& grad_bias, const Tensor& g,
                     const Tensor& x, const Tensor& mean, const Tensor& inverse_std);

/// out = mask ? x * scale : 0 * x; sizes alike, any strides; mask is bool.
void dropout(const Tensor& out, const Tensor& x, const Tensor& mask, double scale);

}  // namespace td::kernels
