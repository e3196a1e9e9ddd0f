// The arguments of td_more's layers and losses, by name, as in nn/options.h. Defaults are
// libtorch's.
#pragma once

#include "td/nn/options.h"

namespace td::nn {

/// For LayerNorm: normalizes over the last dimensions, whose sizes are `normalized_shape`.
struct LayerNormOptions {
  LayerNormOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  /// Sizes of the last dimensions, which are normalized together.
  TD_ARG(std::vector<std::int64_t>, normalized_shape);
  /// Added to the variance.
  TD_ARG(double, eps) = 1e-5;
  /// Whether to learn a scale and a shift.
  TD_ARG(bool, elementwise_affine) = true;
};

/// For Embedding: a table of `num_embeddings` rows of `embedding_dim` numbers.
struct EmbeddingOptions {
  EmbeddingOptions(std::int64_t num_embeddings, std::int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  /// Rows of the table.
  TD_ARG(std::int64_t, num_embeddings);
  /// Numbers in a row.
  TD_ARG(std::int64_t, embedding_dim);
  /// A row that starts as zeros.
  TD_ARG(optional<std::int64_t>, padding_idx) = nullopt;
};

/// For LeakyReLU: x where x > 0, else negative_slope * x.
struct LeakyReLUOptions {
  /// The factor of negative values.
  TD_ARG(double, negative_slope) = 0.01;
  /// Writes into the input's memory.
  TD_ARG(bool, inplace) = false;
};

/// For Softmax and for the functions softmax and log_softmax.
struct SoftmaxOptions {
  SoftmaxOptions(std::int64_t dim) : dim_(dim) {}
  /// The dimension whose elements add up to 1.
  TD_ARG(std::int64_t, dim);
  /// The type to compute in and of the result.
  TD_ARG(optional<ScalarType>, dtype) = nullopt;
};

/// For NLLLoss: log-probabilities (N, C) against class indices (N).
struct NLLLossOptions {
  TD_ARG(Tensor, weight) = {};
  /// Targets of this class are ignored.
  TD_ARG(std::int64_t, ignore_index) = -100;
  /// How the losses of the elements are combined.
  TD_ARG(LossReduction, reduction) = kMean;
};

/// By libtorch's name.
using L1LossOptions = MSELossOptions;

/// For SmoothL1Loss: squared below `beta`, absolute above.
struct SmoothL1LossOptions {
  SmoothL1LossOptions(LossReduction reduction = kMean) : reduction_(reduction) {}
  /// How the losses of the elements are combined.
  TD_ARG(LossReduction, reduction);
  /// |input - target| at which the loss changes from quadratic to linear.
  TD_ARG(double, beta) = 1.0;
};

/// For BCELoss: probabilities against targets in [0, 1].
struct BCELossOptions {
  /// Factor for each element's loss; broadcasts.
  TD_ARG(Tensor, weight) = {};
  /// How the losses of the elements are combined.
  TD_ARG(LossReduction, reduction) = kMean;
};

/// For BCEWithLogitsLoss: scores before the sigmoid against targets in [0, 1].
struct BCEWithLogitsLossOptions {
  TD_ARG(Tensor, weight) = {};
  /// How the losses of the elements are combined.
  TD_ARG(LossReduction, reduction) = kMean;
  /// Factor for positive targets; broadcasts.
  TD_ARG(Tensor, pos_weight) = {};
};

}  // namespace td::nn
