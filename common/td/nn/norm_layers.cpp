// LayerNorm and Dropout: parameters, printing and forward.
#include "td/nn/layers.h"

#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/nn/reset.h"

namespace td::nn {

namespace F = functional;

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
  stream << "Dropout(p=" << options.p() << ", inplace=" << (options.inplace() ? "True" : "False")
         << ")";
}
Tensor DropoutImpl::forward(const Tensor& input) {
  return F::dropout(
      input,
      F::DropoutFuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));
}

}  // namespace td::nn
