// The layers. Each `NameImpl` holds parameters and computes in forward; `Name` is its handle.
// Parameters start with libtorch's distributions. Printed as Python prints them.
#pragma once

#include "td/nn/module.h"
#include "td/nn/module_holder.h"
#include "td/nn/options.h"

namespace td::nn {

/// y = x W^T + b over the last dimension. weight (out, in), bias (out), both uniform within
/// 1 / sqrt(in).
class LinearImpl : public Cloneable<LinearImpl> {
 public:
  LinearImpl(std::int64_t in_features, std::int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LinearOptions options;
  Tensor weight, bias;  ///< `bias` is undefined when the options leave it out.
};
TD_MODULE(Linear);

/// Cross-correlation over (N, C, H, W). weight (out, in / groups, kernel height, kernel width).
class Conv2dImpl : public Cloneable<Conv2dImpl> {
 public:
  Conv2dImpl(std::int64_t in_channels, std::int64_t out_channels, ExpandingArray<2> kernel_size)
      : Conv2dImpl(Conv2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv2dImpl(const Conv2dOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  Conv2dOptions options;
  Tensor weight, bias;  ///< `bias` is undefined when the options leave it out.
};
TD_MODULE(Conv2d);

/// Normalizes each channel (dimension 1): with the batch's statistics in training, with the running
/// ones in evaluation.
template <int spatial, class Derived>
class BatchNormImplBase : public Cloneable<Derived> {
 public:
  explicit BatchNormImplBase(const BatchNormOptions& options_);
  void reset() override;
  void reset_parameters();
  /// Running statistics of a distribution with mean 0 and variance 1.
  void reset_running_stats();
  void pretty_print(std::ostream& stream) const override;
  /// @throws ShapeError for another number of dimensions.
  Tensor forward(const Tensor& input);

  BatchNormOptions options;
  Tensor weight, bias;  ///< Scale and shift; undefined without `affine`.
  /// Statistics for evaluation: buffers, not parameters.
  Tensor running_mean, running_var;  ///< Buffers; undefined without `track_running_stats`.
  Tensor num_batches_tracked;        ///< Buffer, int64, 0-dimensional.
};
/// For (N, C) and (N, C, L).
class BatchNorm1dImpl : public BatchNormImplBase<1, BatchNorm1dImpl> {
 public:
  using BatchNormImplBase::BatchNormImplBase;
};
TD_MODULE(BatchNorm1d);
/// For (N, C, H, W).
class BatchNorm2dImpl : public BatchNormImplBase<2, BatchNorm2dImpl> {
 public:
  using BatchNormImplBase::BatchNormImplBase;
};
TD_MODULE(BatchNorm2d);

/// Normalizes each sample over its last dimensions.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  LayerNormImpl(std::vector<std::int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(const LayerNormOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LayerNormOptions options;
  Tensor weight, bias;  ///< Undefined without `elementwise_affine`.
};
TD_MODULE(LayerNorm);

/// A table of vectors: integers of any shape to (..., embedding_dim).
class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
 public:
  EmbeddingImpl(std::int64_t num_embeddings, std::int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  explicit EmbeddingImpl(const EmbeddingOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& indices);

  EmbeddingOptions options;
  Tensor weight;  ///< (num_embeddings, embedding_dim), standard normal.
};
TD_MODULE(Embedding);

/// A layer without parameters: options (or their one required argument), a text, a function.
#define TD_PLAIN_LAYER(Name, Argument)                                        \
  class Name##Impl : public Cloneable<Name##Impl> {                           \
   public:                                                                    \
    Name##Impl(const Argument& argument) : options(argument) {}               \
    explicit Name##Impl(const Name##Options& options_) : options(options_) {} \
    void reset() override {}                                                  \
    void pretty_print(std::ostream& stream) const override;                   \
    Tensor forward(const Tensor& input);                                      \
    Name##Options options;                                                    \
  };                                                                          \
  TD_MODULE(Name)
/// The same, where all options have defaults.
#define TD_PLAIN_LAYER_WITH_DEFAULTS(Name)                                         \
  class Name##Impl : public Cloneable<Name##Impl> {                                \
   public:                                                                         \
    explicit Name##Impl(const Name##Options& options_ = {}) : options(options_) {} \
    void reset() override {}                                                       \
    void pretty_print(std::ostream& stream) const override;                        \
    Tensor forward(const Tensor& input);                                           \
    Name##Options options;                                                         \
  };                                                                               \
  TD_MODULE(Name)
/// The same, without options.
#define TD_FUNCTION_LAYER(Name)                             \
  class Name##Impl : public Cloneable<Name##Impl> {         \
   public:                                                  \
    void reset() override {}                                \
    void pretty_print(std::ostream& stream) const override; \
    Tensor forward(const Tensor& input);                    \
  };                                                        \
  TD_MODULE(Name)

/// The largest value of each window of (N, C, H, W).
TD_PLAIN_LAYER(MaxPool2d, ExpandingArray<2>);
/// The average over windows of (N, C, H, W).
TD_PLAIN_LAYER(AvgPool2d, ExpandingArray<2>);
/// The average over windows that give the output the sizes asked for.
TD_PLAIN_LAYER(AdaptiveAvgPool2d, ExpandingArray<2>);
/// exp(x) over its sum along a dimension.
TD_PLAIN_LAYER(Softmax, std::int64_t);
/// In training sets elements to zero with probability p and scales the rest by 1 / (1 - p).
class DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  explicit DropoutImpl(const DropoutOptions& options_ = {});
  /// @throws Error when p is no probability.
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  DropoutOptions options;
};
TD_MODULE(Dropout);
/// Joins the dimensions from start_dim to end_dim into one.
TD_PLAIN_LAYER_WITH_DEFAULTS(Flatten);
/// max(x, 0).
TD_PLAIN_LAYER_WITH_DEFAULTS(ReLU);
/// x where it is positive, negative_slope * x elsewhere.
TD_PLAIN_LAYER_WITH_DEFAULTS(LeakyReLU);
/// x times the probability that a standard normal number is below x.
TD_FUNCTION_LAYER(GELU);
/// x * sigmoid(x).
TD_FUNCTION_LAYER(SiLU);
/// 1 / (1 + exp(-x)).
TD_FUNCTION_LAYER(Sigmoid);
/// The hyperbolic tangent.
TD_FUNCTION_LAYER(Tanh);
/// Its input, unchanged.
TD_FUNCTION_LAYER(Identity);

#undef TD_PLAIN_LAYER
#undef TD_PLAIN_LAYER_WITH_DEFAULTS
#undef TD_FUNCTION_LAYER

}  // namespace td::nn
