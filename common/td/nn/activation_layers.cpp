// Layers without parameters that are functions of each element or row, and Flatten.
#include "td/nn/functional.h"
#include "td/nn/layers.h"
#include "td/ops/ops.h"

namespace td::nn {

namespace F = functional;

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
