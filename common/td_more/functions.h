// Operations that libtorch has and no chapter needs: activations with parameters, losses of single
// elements, layer_norm. Names, argument order and defaults are libtorch's. They are free functions;
// Tensor has no methods for them. Each casts its arguments under autocast as ops/autocast_table.h
// says.
#pragma once

#include "td/ops/ops.h"

namespace td {

/// @name Activations of floating point tensors (others are a DtypeError)
/// @{
/// input where it is positive, else negative_slope * input.
Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope = 0.01);
/// The same in place.
Tensor& leaky_relu_(Tensor& input, const Scalar& negative_slope = 0.01);
/// scale * input where it is positive, else scale * alpha * (exp(input_scale * input) - 1)
/// (Clevert et al., 2016).
Tensor elu(const Tensor& input, const Scalar& alpha = 1, const Scalar& scale = 1,
           const Scalar& input_scale = 1);
/// log(1 + exp(beta * input)) / beta; the input itself where beta * input is above threshold.
Tensor softplus(const Tensor& input, const Scalar& beta = 1, const Scalar& threshold = 20);
/// input * P(X <= input) for a standard normal X (Hendrycks and Gimpel, 2016).
Tensor gelu(const Tensor& input);
/// input * sigmoid(input)
Tensor silu(const Tensor& input);
/// @}

/// @name Losses of single elements: their mean or their sum, or all of them (kNone)
/// @{
/// |input - target|
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction::Reduction reduction = kMean);
/// d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, for d = input - target
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      Reduction::Reduction reduction = kMean, double beta = 1.0);
/// -(t log x + (1 - t) log(1 - x)) of probabilities x; each logarithm is limited to at least -100.
/// @throws Error for an input that is no probability.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction::Reduction reduction = kMean);
/// The same of logits, with sigmoid() and the loss in one, which cannot overflow.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight = {}, const Tensor& pos_weight = {},
                                        Reduction::Reduction reduction = kMean);
/// @}

/// @name Normalization of rows
/// @{
/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dimensions, which are
/// `normalized_shape`; weight and bias have its sizes. They may be float32 with a 16-bit input.
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
/// @}

}  // namespace td
