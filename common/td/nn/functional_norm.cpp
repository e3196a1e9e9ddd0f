// nn::functional for normalization and dropout: options spelled out as arguments.
#include "td/nn/functional.h"
#include "td/ops/ops.h"

namespace td::nn::functional {

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
  return td::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                        options.training(), options.momentum().value_or(0.0), options.eps());
}
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return td::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                        options.eps());
}
Tensor dropout(const Tensor& input, const DropoutFuncOptions& options) {
  const Tensor result = td::dropout(input, options.p(), options.training());
  return options.inplace() ? Tensor(input).copy_(result) : result;
}

}  // namespace td::nn::functional
