// Layers that libtorch has and no chapter needs. Each `NameImpl` holds parameters and computes in
// forward; `Name` is its handle. Printed as Python prints them. nn/layers.h has the others.
#pragma once

#include "td/nn/layers.h"
#include "td_more/options.h"

namespace td::nn {

/// (x - mean) / sqrt(variance + eps) * weight + bias, over the last dimensions of each sample.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
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
  EmbeddingImpl(std::int64_t num_embeddings, std::int64_t embedding_dim);
  explicit EmbeddingImpl(const EmbeddingOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& indices);

  EmbeddingOptions options;
  Tensor weight;  ///< (num_embeddings, embedding_dim), standard normal.
};
TD_MODULE(Embedding);

/// exp(x) over its sum along a dimension.
class SoftmaxImpl : public PlainModuleBase<SoftmaxImpl, SoftmaxOptions> {
 public:
  using PlainModuleBase::PlainModuleBase;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TD_MODULE(Softmax);

/// x where it is positive, negative_slope * x elsewhere.
class LeakyReLUImpl : public PlainModuleBase<LeakyReLUImpl, LeakyReLUOptions> {
 public:
  using PlainModuleBase::PlainModuleBase;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TD_MODULE(LeakyReLU);

/// x times the probability that a standard normal number is below x.
class GELUImpl : public Cloneable<GELUImpl> {
 public:
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TD_MODULE(GELU);

/// 1 / (1 + exp(-x)).
class SigmoidImpl : public Cloneable<SigmoidImpl> {
 public:
  void reset() override {}
  Tensor forward(const Tensor& input) { return td::sigmoid(input); }
};
TD_MODULE(Sigmoid);

}  // namespace td::nn
