// Linear and Embedding: parameters, printing and forward.
#include "td/nn/layers.h"

#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/nn/reset.h"

namespace td::nn {

namespace F = functional;

LinearImpl::LinearImpl(const LinearOptions& options_) : options(options_) { reset(); }
void LinearImpl::reset() {
  weight = parameter(*this, "weight", true, {options.out_features(), options.in_features()});
  bias = parameter(*this, "bias", options.bias(), {options.out_features()});
  reset_parameters();
}
void LinearImpl::reset_parameters() { reset_weight_and_bias(weight, bias); }
void LinearImpl::pretty_print(std::ostream& stream) const {
  stream << "Linear(in_features=" << options.in_features()
         << ", out_features=" << options.out_features() << ", bias=" << python(options.bias())
         << ")";
}
Tensor LinearImpl::forward(const Tensor& input) { return F::linear(input, weight, bias); }

EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions& options_) : options(options_) { reset(); }
void EmbeddingImpl::reset() {
  weight = parameter(*this, "weight", true, {options.num_embeddings(), options.embedding_dim()});
  reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
  init::normal_(weight);
  if (options.padding_idx()) init::zeros_(weight.detach()[*options.padding_idx()]);
}
void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << "Embedding(" << options.num_embeddings() << ", " << options.embedding_dim();
  if (options.padding_idx()) stream << ", padding_idx=" << *options.padding_idx();
  stream << ")";
}
Tensor EmbeddingImpl::forward(const Tensor& indices) { return F::embedding(indices, weight); }

}  // namespace td::nn
