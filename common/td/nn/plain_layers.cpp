// Layers without parameters: pooling, activations, dropout, flatten.
#include "td/nn/functional.h"
#include "td/nn/layers.h"
#include "td/ops/ops.h"

namespace td::nn {

namespace F = functional;

namespace {

// Python prints one number where all dimensions agree.
std::ostream& short_form(std::ostream& stream, const ExpandingArray<2>& array) {
  if (array[0] == array[1]) return stream << array[0];
  return stream << array;
}

}  // namespace

void MaxPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "MaxPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding());
  short_form(stream << ", dilation=", options.dilation());
  stream << ", ceil_mode=" << (options.ceil_mode() ? "True" : "False") << ")";
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

void SoftmaxImpl::pretty_print(std::ostream& stream) const {
  stream << "Softmax(dim=" << options.dim() << ")";
}
Tensor SoftmaxImpl::forward(const Tensor& input) { return F::softmax(input, options); }

void DropoutImpl::pretty_print(std::ostream& stream) const {
  stream << "Dropout(p=" << options.p() << ", inplace=" << (options.inplace() ? "True" : "False")
         << ")";
}
Tensor DropoutImpl::forward(const Tensor& input) {
  return F::dropout(input, F::DropoutFuncOptions()
                               .p(options.p())
                               .training(is_training())
                               .inplace(options.inplace()));
}

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
