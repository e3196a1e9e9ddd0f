// Losses: how far a prediction is from its target, as one number or one for each element. Part of
// ops.h.
#pragma once

#include "td/ops/softmax/reduction_mode.h"
#include "td/tensor/tensor.h"

namespace td {

/// @name Losses. `reduction` is kMean, kSum or kNone (one loss an element)
/// @{
/// Squared distance.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction::Reduction reduction = kMean);
/// Distance.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction::Reduction reduction = kMean);
/// Half the squared distance over beta below beta, distance minus beta/2 above.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      Reduction::Reduction reduction = kMean, double beta = 1.0);
/// -(t log x + (1 - t) log(1 - x)) of probabilities x; a logarithm counts at most -100.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction::Reduction reduction = kMean);
/// The same of logits, with sigmoid() and the loss in one, which cannot overflow.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight = {}, const Tensor& pos_weight = {},
                                        Reduction::Reduction reduction = kMean);
/// Minus the log-probability of the right class.
/// @param input log-probabilities [N, C, ...] or [C]; @param target int64 classes [N, ...] or [].
/// @param weight one factor a class [C]. The mean divides by the sum of the weights that counted.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                Reduction::Reduction reduction = kMean, std::int64_t ignore_index = -100);
/// nll_loss of log_softmax(input, 1), in one pass. A floating point `target` of the input's sizes
/// holds the probability of each class.
/// @param label_smoothing part of the target that is spread evenly over all classes, 0 to 1.
Tensor cross_entropy_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                          Reduction::Reduction reduction = kMean, std::int64_t ignore_index = -100,
                          double label_smoothing = 0.0);
/// @}

}  // namespace td
