// The layers: parameters, first values, printing and forward. They call the operations through
// nn::functional, whose options are theirs.
#include "td/nn/layers.h"

#include <cmath>

#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/ops/ops.h"

namespace td::nn {

namespace F = functional;

namespace {

// True or False, as Python prints it.
const char* python(bool value) { return value ? "True" : "False"; }

// Registers a parameter with memory but no values yet, or one that is left out.
Tensor parameter(Module& module, const char* name, bool wanted, IntArrayRef sizes) {
  return module.register_parameter(name, wanted ? empty(sizes) : Tensor());
}

// libtorch's default: both uniform within 1 / sqrt(fan in), which for the weight is
// kaiming_uniform_ with a = sqrt(5).
void reset_weight_and_bias(const Tensor& weight, const Tensor& bias) {
  if (sharing_clones()) return;  // both are about to become others
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const std::int64_t fan_in = init::fan_in_and_out(weight).first;
  const double bound = fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0;
  init::uniform_(bias, -bound, bound);
}

// Python prints one number where all dimensions agree.
std::ostream& short_form(std::ostream& stream, const ExpandingArray<2>& array) {
  if (array[0] == array[1]) return stream << array[0];
  return stream << array;
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
Tensor LinearImpl::forward(const Tensor& input) { return td::linear(input, weight, bias); }

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

Conv2dImpl::Conv2dImpl(const Conv2dOptions& options_) : options(options_) {
  TD_CHECK(ShapeError,
           options.groups() > 0 && options.in_channels() % options.groups() == 0 &&
               options.out_channels() % options.groups() == 0,
           "Conv2d: in_channels (", options.in_channels(), ") and out_channels (",
           options.out_channels(), ") must be multiples of groups (", options.groups(), ")");
  reset();
}
void Conv2dImpl::reset() {
  const ExpandingArray<2>& kernel = options.kernel_size();
  weight = parameter(
      *this, "weight", true,
      {options.out_channels(), options.in_channels() / options.groups(), kernel[0], kernel[1]});
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

void MaxPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "MaxPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding());
  short_form(stream << ", dilation=", options.dilation());
  stream << ", ceil_mode=" << python(options.ceil_mode()) << ")";
}
Tensor MaxPool2dImpl::forward(const Tensor& input) { return F::max_pool2d(input, options); }

void AvgPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "AvgPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding()) << ")";
}
Tensor AvgPool2dImpl::forward(const Tensor& input) { return F::avg_pool2d(input, options); }

void AdaptiveAvgPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "AdaptiveAvgPool2d(output_size=", options.output_size()) << ")";
}
Tensor AdaptiveAvgPool2dImpl::forward(const Tensor& input) {
  return F::adaptive_avg_pool2d(input, options);
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

DropoutImpl::DropoutImpl(const DropoutOptions& options_) : options(options_) { reset(); }
void DropoutImpl::reset() {
  TD_CHECK(Error, options.p() >= 0 && options.p() <= 1,
           "Dropout: a probability lies between 0 and 1, not ", options.p());
}
void DropoutImpl::pretty_print(std::ostream& stream) const {
  stream << "Dropout(p=" << options.p() << ", inplace=" << python(options.inplace()) << ")";
}
Tensor DropoutImpl::forward(const Tensor& input) {
  return F::dropout(
      input,
      F::DropoutFuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));
}

template <int spatial, class Derived>
BatchNormImplBase<spatial, Derived>::BatchNormImplBase(const BatchNormOptions& options_)
    : options(options_) {
  BatchNormImplBase::reset();
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::reset() {
  const std::int64_t features = options.num_features();
  const bool affine = options.affine(), tracks = options.track_running_stats();
  weight = this->register_parameter("weight", affine ? empty({features}) : Tensor());
  bias = this->register_parameter("bias", affine ? empty({features}) : Tensor());
  running_mean = this->register_buffer("running_mean", tracks ? empty({features}) : Tensor());
  running_var = this->register_buffer("running_var", tracks ? empty({features}) : Tensor());
  num_batches_tracked =
      this->register_buffer("num_batches_tracked", tracks ? empty({}, kLong) : Tensor());
  reset_parameters();
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  init::zeros_(running_mean);
  init::ones_(running_var);
  init::zeros_(num_batches_tracked);
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::pretty_print(std::ostream& stream) const {
  stream << "BatchNorm" << spatial << "d(" << options.num_features() << ", eps=" << options.eps()
         << ", momentum=";
  if (options.momentum())
    stream << *options.momentum();
  else
    stream << "None";
  stream << ", affine=" << python(options.affine())
         << ", track_running_stats=" << python(options.track_running_stats()) << ")";
}

template <int spatial, class Derived>
Tensor BatchNormImplBase<spatial, Derived>::forward(const Tensor& input) {
  const std::int64_t dims = input.dim();
  TD_CHECK(ShapeError, spatial == 2 ? dims == 4 : (dims == 2 || dims == 3), "BatchNorm", spatial,
           "d: expected ",
           spatial == 2 ? "4 dimensions (N, C, H, W)" : "2 or 3 dimensions (N, C) or (N, C, L)",
           " but the input is ", input.sizes());
  optional<double> momentum = options.momentum();
  if (this->is_training() && options.track_running_stats()) {
    num_batches_tracked.add_(1);
    // Without a momentum the running statistics are the average over all batches so far.
    if (!momentum) momentum = 1.0 / num_batches_tracked.template item<double>();
  }
  return F::batch_norm(input, running_mean, running_var,
                       F::BatchNormFuncOptions()
                           .weight(weight)
                           .bias(bias)
                           .training(this->is_training() || !options.track_running_stats())
                           .momentum(momentum.value_or(0.0))
                           .eps(options.eps()));
}

template class BatchNormImplBase<1, BatchNorm1dImpl>;
template class BatchNormImplBase<2, BatchNorm2dImpl>;

void SoftmaxImpl::pretty_print(std::ostream& stream) const {
  stream << "Softmax(dim=" << options.dim() << ")";
}
Tensor SoftmaxImpl::forward(const Tensor& input) { return F::softmax(input, options.dim()); }

void FlattenImpl::pretty_print(std::ostream& stream) const {
  stream << "Flatten(start_dim=" << options.start_dim() << ", end_dim=" << options.end_dim() << ")";
}
Tensor FlattenImpl::forward(const Tensor& input) {
  return input.flatten(options.start_dim(), options.end_dim());
}

void ReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "ReLU(" << (options.inplace() ? "inplace=True" : "") << ")";
}
Tensor ReLUImpl::forward(const Tensor& input) { return F::relu(input, options); }

void LeakyReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "LeakyReLU(negative_slope=" << options.negative_slope()
         << (options.inplace() ? ", inplace=True)" : ")");
}
Tensor LeakyReLUImpl::forward(const Tensor& input) { return F::leaky_relu(input, options); }

void GELUImpl::pretty_print(std::ostream& stream) const { stream << "GELU(approximate='none')"; }
Tensor GELUImpl::forward(const Tensor& input) { return F::gelu(input); }
void SiLUImpl::pretty_print(std::ostream& stream) const { stream << "SiLU()"; }
Tensor SiLUImpl::forward(const Tensor& input) { return F::silu(input); }
void SigmoidImpl::pretty_print(std::ostream& stream) const { stream << "Sigmoid()"; }
Tensor SigmoidImpl::forward(const Tensor& input) { return td::sigmoid(input); }
void TanhImpl::pretty_print(std::ostream& stream) const { stream << "Tanh()"; }
Tensor TanhImpl::forward(const Tensor& input) { return td::tanh(input); }
void IdentityImpl::pretty_print(std::ostream& stream) const { stream << "Identity()"; }
Tensor IdentityImpl::forward(const Tensor& input) { return input; }

}  // namespace td::nn
