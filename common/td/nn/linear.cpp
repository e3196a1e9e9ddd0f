// Linear and Embedding: parameters, printing and forward.
#include "td/nn/layers.h"

#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/nn/reset.h"
#include "td/ops/ops.h"

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
  if (const auto row = options.padding_idx()) {
    const std::int64_t rows = options.num_embeddings();
    TD_CHECK(Error, *row >= -rows && *row < rows, "Embedding: padding_idx ", *row,
             " is no row of a table of ", rows, " rows");
    options.padding_idx(*row < 0 ? *row + rows : *row);
  }
  weight = parameter(*this, "weight", true, {options.num_embeddings(), options.embedding_dim()});
  reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
  if (sharing_clones()) return;  // the weight is about to become another
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

}  // namespace td::nn
