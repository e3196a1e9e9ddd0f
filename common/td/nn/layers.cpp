// The layers' parameters, printing and forward; the computing is nn::functional's.
#include "td/nn/layers.h"

#include <cmath>

#include "td/nn/functional.h"
#include "td/nn/init.h"

namespace td::nn {

namespace F = functional;

namespace {

const char* python(bool value) { return value ? "True" : "False"; }

// libtorch's default for weight and bias: uniform within 1 / sqrt(fan in), which is
// kaiming_uniform_ with a = sqrt(5).
void reset_weight_and_bias(const Tensor& weight, const Tensor& bias) {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const std::int64_t fan_in = init::fan_in_and_out(weight).first;
  const double bound = fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0;
  init::uniform_(bias, -bound, bound);
}

// Makes a parameter and stores the same handle as the module's member.
Tensor parameter(Module& module, const char* name, bool wanted, IntArrayRef sizes) {
  return module.register_parameter(name, wanted ? empty(sizes) : Tensor());
}

}  // namespace

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

Conv2dImpl::Conv2dImpl(const Conv2dOptions& options_) : options(options_) {
  TD_CHECK(ShapeError, options.groups() > 0 && options.in_channels() % options.groups() == 0 &&
           options.out_channels() % options.groups() == 0, "Conv2d: in_channels (",
           options.in_channels(), ") and out_channels (", options.out_channels(),
           ") must be multiples of groups (", options.groups(), ")");
  reset();
}
void Conv2dImpl::reset() {
  const ExpandingArray<2>& kernel = options.kernel_size();
  weight = parameter(*this, "weight", true,
                     {options.out_channels(), options.in_channels() / options.groups(), kernel[0],
                      kernel[1]});
  bias = parameter(*this, "bias", options.bias(), {options.out_channels()});
  reset_parameters();
}
void Conv2dImpl::reset_parameters() { reset_weight_and_bias(weight, bias); }
void Conv2dImpl::pretty_print(std::ostream& stream) const {
  stream << "Conv2d(" << options.in_channels() << ", " << options.out_channels()
         << ", kernel_size=" << options.kernel_size() << ", stride=" << options.stride();
  if (!(options.padding() == ExpandingArray<2>(0))) stream << ", padding=" << options.padding();
  if (!(options.dilation() == ExpandingArray<2>(1))) stream << ", dilation=" << options.dilation();
  if (options.groups() != 1) stream << ", groups=" << options.groups();
  if (!options.bias()) stream << ", bias=False";
  stream << ")";
}
Tensor Conv2dImpl::forward(const Tensor& input) {
  return F::conv2d(input, weight,
                   F::Conv2dFuncOptions()
                       .bias(bias)
                       .stride(options.stride())
                       .padding(options.padding())
                       .dilation(options.dilation())
                       .groups(options.groups()));
}

LayerNormImpl::LayerNormImpl(const LayerNormOptions& options_) : options(options_) { reset(); }
void LayerNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  weight = parameter(*this, "weight", affine, options.normalized_shape());
  bias = parameter(*this, "bias", affine, options.normalized_shape());
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
         << ", elementwise_affine=" << python(options.elementwise_affine()) << ")";
}
Tensor LayerNormImpl::forward(const Tensor& input) {
  return F::layer_norm(input, F::LayerNormFuncOptions(options.normalized_shape())
                                  .weight(weight)
                                  .bias(bias)
                                  .eps(options.eps()));
}

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
