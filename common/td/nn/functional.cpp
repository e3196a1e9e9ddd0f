// nn::functional: options spelled out as arguments of the operations.
#include "td/nn/functional.h"

#include "td/ops/ops.h"

namespace td::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return td::linear(input, weight, bias);
}
Tensor embedding(const Tensor& input, const Tensor& weight) { return td::embedding(weight, input); }

Tensor relu(Tensor input, const ReLUFuncOptions& options) {
  return options.inplace() ? td::relu_(input) : td::relu(input);
}
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options) {
  const double slope = options.negative_slope();
  return options.inplace() ? td::leaky_relu_(input, slope) : td::leaky_relu(input, slope);
}
Tensor gelu(const Tensor& input) { return td::gelu(input); }
Tensor silu(const Tensor& input) { return td::silu(input); }
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return td::softmax(input, options.dim(), options.dtype());
}
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return td::log_softmax(input, options.dim(), options.dtype());
}

Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options) {
  return td::cross_entropy_loss(input, target, options.weight(), options.reduction(),
                                options.ignore_index(), options.label_smoothing());
}
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options) {
  return td::nll_loss(input, target, options.weight(), options.reduction(), options.ignore_index());
}
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  return td::mse_loss(input, target, options.reduction());
}
Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options) {
  return td::l1_loss(input, target, options.reduction());
}
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options) {
  return td::smooth_l1_loss(input, target, options.reduction(), options.beta());
}
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, double beta) {
  return td::smooth_l1_loss(input, target, options.reduction(), beta);
}
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options) {
  return td::binary_cross_entropy(input, target, options.weight(), options.reduction());
}
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  return td::binary_cross_entropy_with_logits(input, target, options.weight(), options.pos_weight(),
                                              options.reduction());
}

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
