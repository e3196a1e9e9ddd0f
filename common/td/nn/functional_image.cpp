// nn::functional for images and normalization: options spelled out as arguments of the operations.
#include "td/nn/functional.h"
#include "td/ops/ops.h"

namespace td::nn::functional {

Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options) {
  return td::conv2d(input, weight, options.bias(), options.stride(), options.padding(),
                    options.dilation(), options.groups());
}
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options) {
  return td::max_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                        options.dilation(), options.ceil_mode());
}
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options) {
  return td::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                        options.ceil_mode(), options.count_include_pad());
}
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options) {
  return td::adaptive_avg_pool2d(input, options.output_size());
}
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
