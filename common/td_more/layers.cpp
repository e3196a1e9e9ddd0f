// td_more's layers: parameters, first values, printing and forward; and what BCEWithLogitsLoss
// registers.
#include "td_more/layers.h"

#include "td_more/functions.h"
#include "td_more/losses.h"

namespace td::nn {

EmbeddingImpl::EmbeddingImpl(std::int64_t num_embeddings, std::int64_t embedding_dim)
    : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions& options_) : options(options_) { reset(); }
void EmbeddingImpl::reset() {
  if (const auto row = options.padding_idx()) {
    const std::int64_t rows = options.num_embeddings();
    TD_CHECK(Error, *row >= -rows && *row < rows, "Embedding: padding_idx ", *row,
             " is no row of a table of ", rows, " rows");
    options.padding_idx(*row < 0 ? *row + rows : *row);
  }
  weight = register_parameter("weight", empty({options.num_embeddings(), options.embedding_dim()}));
  reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
  if (sharing_clones()) return;  // another tensor is about to replace the weight
  init::normal_(weight);
  if (options.padding_idx()) init::zeros_(weight.detach()[*options.padding_idx()]);
}
void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << "Embedding(" << options.num_embeddings() << ", " << options.embedding_dim();
  if (options.padding_idx()) stream << ", padding_idx=" << *options.padding_idx();
  stream << ")";
}
Tensor EmbeddingImpl::forward(const Tensor& indices) {
  return td::embedding(weight, indices, options.padding_idx().value_or(-1));
}

LayerNormImpl::LayerNormImpl(const LayerNormOptions& options_) : options(options_) { reset(); }
void LayerNormImpl::reset() {
  const auto make = [this] {
    return options.elementwise_affine() ? td::empty(options.normalized_shape()) : Tensor();
  };
  weight = register_parameter("weight", make());
  bias = register_parameter("bias", make());
  reset_parameters();
}
void LayerNormImpl::reset_parameters() {
  if (!options.elementwise_affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
void LayerNormImpl::pretty_print(std::ostream& stream) const {
  stream << "LayerNorm((";
  const auto& shape = options.normalized_shape();
  for (std::size_t i = 0; i < shape.size(); ++i) stream << (i ? ", " : "") << shape[i];
  stream << (shape.size() == 1 ? ",)" : ")") << ", eps=" << options.eps()
         << ", elementwise_affine=" << detail::python(options.elementwise_affine()) << ")";
}
Tensor LayerNormImpl::forward(const Tensor& input) {
  return td::layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

void SoftmaxImpl::pretty_print(std::ostream& stream) const {
  stream << "Softmax(dim=" << options.dim() << ")";
}
Tensor SoftmaxImpl::forward(const Tensor& input) {
  return td::softmax(input, options.dim(), options.dtype());
}

void LeakyReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "LeakyReLU(negative_slope=" << options.negative_slope()
         << (options.inplace() ? ", inplace=True)" : ")");
}
Tensor LeakyReLUImpl::forward(const Tensor& input) {
  const double slope = options.negative_slope();
  if (!options.inplace()) return td::leaky_relu(input, slope);
  Tensor changed = input;
  return td::leaky_relu_(changed, slope);
}

void GELUImpl::pretty_print(std::ostream& stream) const { stream << "GELU(approximate='none')"; }
Tensor GELUImpl::forward(const Tensor& input) { return td::gelu(input); }

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_)
    : options(options_) {
  reset();
}
void BCEWithLogitsLossImpl::reset() {
  weight = register_buffer("weight", detail::own_weight(weight, options.weight()));
  pos_weight = register_buffer("pos_weight", detail::own_weight(pos_weight, options.pos_weight()));
}

}  // namespace td::nn
