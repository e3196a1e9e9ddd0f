// nn::functional for images: options spelled out as arguments of the operations.
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
                        options.ceil_mode(), options.count_include_pad(),
                        options.divisor_override());
}
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options) {
  return td::adaptive_avg_pool2d(input, options.output_size());
}

}  // namespace td::nn::functional
